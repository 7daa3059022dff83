/** `margay gateway`: agent, channels, schedule and the HTTP server in one process, until it is told to stop. */
import { hasCode, RuntimeError, type Json } from "@margay/core";
import { messageOf, untilAborted } from "@margay/core/internal";
import type { App } from "../../app.ts";
import type { RunningGateway } from "./start-gateway.ts";
import { EXIT, textOption, type Cli, type Input, type Run } from "../../host/cli/command.ts";
import { SUPERVISED } from "./service.ts";
import type { Services } from "../../host/api/services.ts";
import { findGateway } from "../../host/control/client.ts";
import { pageOf, showLink } from "../../host/cli/login-link.ts";
import { jsonLine } from "../../host/cli/output.ts";
import { heldText } from "../../host/schedule-held.ts";

export const runGateway: Run = async (cli, input) => {
  let life: Life = { flags: flagsOf(cli, input), isFirst: true };
  for (;;) {
    const end = await live(cli, input, life);
    if (end === undefined || cli.signal.aborted) return EXIT.done;
    const meanwhileFault = await end.meanwhile?.().then(() => undefined, messageOf);
    if (isSupervised(cli)) return EXIT.again; // by a new process, of whatever build is there by now
    const { flags } = life;
    life = {
      flags: end.port === undefined ? flags : { ...flags, "gateway.port": end.port },
      isFirst: false,
      ...(meanwhileFault !== undefined && { meanwhileFault }),
    };
  }
};

/** From a start to its end: a gateway that begins anew has several. */
interface Life {
  readonly flags: Flags;
  readonly isFirst: boolean;
  readonly meanwhileFault?: string;
}

/** It was asked to begin anew. */
interface Again {
  /** Of a port that the system chose: whoever is connected comes back to it. */
  readonly port?: number;
  readonly meanwhile?: () => Promise<void>;
}

/** @returns undefined when it was told to stop. */
async function live(cli: Cli, input: Input, life: Life): Promise<Again | undefined> {
  const { flags, isFirst } = life;
  const again = new AbortController();
  const asked: { meanwhile?: () => Promise<void> } = {};
  await using app = await composed(cli, flags);
  const running = await started(cli, input, app, life, (meanwhile) => {
    if (meanwhile !== undefined) asked.meanwhile = meanwhile;
    again.abort();
  });
  try {
    if (isFirst) announce(cli, input, running);
    else if (!cli.json) cli.terminal.err(`${cli.t("gateway.again", { url: running.gateway.url })}\n`);
    await untilAborted(AbortSignal.any([cli.signal, again.signal]));
    if (!cli.json) cli.terminal.err(`${cli.t("gateway.stopping")}\n`);
  } finally {
    await running.stop();
  }
  if (!again.signal.aborted) return undefined;
  const isChosen = app.loaded.config.gateway.port === 0;
  return { ...asked, ...(isChosen && { port: Number(new URL(running.gateway.url).port) }) };
}

function isSupervised({ environment }: Cli): boolean {
  return (environment.env[SUPERVISED] ?? "") !== "";
}

type Flags = Readonly<Record<string, Json>>;

/** @throws RuntimeError `usage.wrong`. */
function flagsOf(cli: Cli, input: Input): Flags {
  const host = textOption(input, "host");
  const typed = textOption(input, "port");
  const port = Number(typed);
  if (typed !== undefined && (!/^\d{1,5}$/.test(typed) || port > 65_535))
    throw new RuntimeError("usage.wrong", cli.t("gateway.badPort", { value: typed }));
  return { ...(host !== undefined && { "gateway.host": host }), ...(typed !== undefined && { "gateway.port": port }) };
}

async function composed(cli: Cli, flags: Flags): Promise<App> {
  try {
    return await cli.compose({ flags });
  } catch (error) {
    const running = hasCode(error, "state.locked") ? findGateway(cli) : undefined;
    if (running !== undefined && !cli.json) cli.terminal.err(`${cli.t("gateway.runsAlready", { url: running.url })}\n`);
    throw error;
  }
}

async function started(
  cli: Cli,
  input: Input,
  app: App,
  { flags, meanwhileFault }: Life,
  restart: NonNullable<Services["restart"]>,
): Promise<RunningGateway> {
  const { startGateway } = await import("./start-gateway.ts");
  const { host, port } = app.loaded.config.gateway;
  try {
    return await startGateway(app, {
      environment: cli.environment,
      surface: cli.surface,
      loadOptions: cli.loadOptions(flags),
      setup: input.options["setup"] === true,
      restart,
      ...(meanwhileFault !== undefined && { meanwhileFault }),
      events: {
        codeUsedAgain: (_kind, address) => cli.terminal.err(`${cli.t("gateway.linkUsed", { address })}\n`),
        setUp: () => cli.terminal.err(`${cli.t("gateway.setUp")}\n`),
      },
    });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EADDRINUSE") throw refused(cli.t("gateway.portTaken", { host, port }), error);
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EAI_AGAIN")
      throw refused(cli.t("gateway.noAddress", { host }), error);
    if (code === "EACCES") throw refused(cli.t("gateway.portClosed", { host, port }), error);
    throw error;
  }
}

function refused(message: string, cause: unknown): RuntimeError {
  return new RuntimeError("config.invalid", message, { cause });
}

function announce(cli: Cli, input: Input, { gateway }: RunningGateway): void {
  const { terminal, t } = cli;
  const held = heldText(cli);
  if (held !== undefined) terminal.err(`${held}\n`);
  const { url, auth } = gateway;
  const isSetup = input.options["setup"] === true && !auth.hasPassword();
  const { code, expiresAt } = auth.codes.mint(isSetup ? "setup" : "login");
  const link = `${pageOf(cli, url)}/#${isSetup ? "setup" : "login"}=${code}`;
  if (cli.json) {
    terminal.out(jsonLine({ type: "gateway", url, link, expiresAt, pid: process.pid }));
    return;
  }
  terminal.out(`${t("gateway.running", { url })}\n`);
  terminal.out(`${t(isSetup ? "gateway.setupLink" : "gateway.link", { link })}\n${t("gateway.more")}\n`);
  if (input.options["open"] !== false) showLink(cli, link);
}
