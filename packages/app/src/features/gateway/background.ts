/** `margay gateway start|status|stop|restart`: the gateway without a terminal, as the service of this user where one is installed. */
import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { RuntimeError, type JsonObject } from "@margay/core";
import { lockOwner, makeDirectory, systemClock, type Millis } from "@margay/core/internal";
import { EXIT, textOption, type Cli, type Input, type Run } from "../../host/cli/command.ts";
import { pageOf } from "../../host/cli/login-link.ts";
import { jsonLine, safeText } from "../../host/cli/output.ts";
import { timeText } from "../../host/cli/values.ts";
import { readNote } from "../../host/control/gateway-note.ts";
import { findGateway, type GatewayClient } from "../../host/control/client.ts";
import { isInstalled, startService } from "./service.ts";

/** A gateway is ready in a second; one that first reads many conversations on a slow disk takes longer. */
const START_MS: Millis = 60_000;
/** What runs is finished first: `gateway.shutdownMs`, and then what a process may take to end. */
const STOP_MS: Millis = 45_000;
const LOOK_MS: Millis = 50;
/** So long whoever holds the state directory may be a gateway that somebody else has just started. */
const OTHER_MS: Millis = 5000;
/** Of what the last one wrote where a terminal would have been. */
const MAX_LAST_WORDS = 2000;

export const startInBackground: Run = async (cli, input) => {
  const before = findGateway(cli);
  if (before !== undefined) return tell(cli, before, "background.runsAlready");
  return isInstalled(cli) ? startAsService(cli, input) : startDetached(cli, input);
};

export const showGateway: Run = (cli) => {
  const gateway = findGateway(cli);
  const { terminal, t, places, json } = cli;
  const service = isInstalled(cli);
  if (gateway !== undefined) {
    const since = statSync(join(places.home, "gateway.json")).mtimeMs;
    const { url, pid } = gateway;
    const about = { url, pid, since: timeText(since), home: places.home };
    const starting = readNote(places.home)?.starting === true;
    const iso = new Date(since).toISOString();
    if (json) terminal.out(jsonLine({ running: true, starting, url, pid, since: iso, service, log: places.log }));
    else terminal.out(`${t(service ? "background.serves" : "background.runs", about)}\n`);
    if (starting && !json) terminal.out(`${t("background.starting")}\n`);
    return Promise.resolve(EXIT.done);
  }
  const holder = lockOwner(places.home);
  const said = lastWords(cli);
  if (json) terminal.out(jsonLine({ running: false, service, holder: holder ?? null, said, log: places.log }));
  else {
    terminal.out(`${t("background.none", { home: places.home })}\n`);
    if (holder !== undefined) terminal.out(`${t("background.other", { pid: holder })}\n`);
    if (said !== "") terminal.out(`${t("background.said")}\n${safeText(said)}\n`);
  }
  return Promise.resolve(EXIT.failed);
};

export const stopGateway: Run = async (cli) => {
  const stopped = await stop(cli);
  if (cli.json) cli.terminal.out(jsonLine({ stopped: stopped ?? null }));
  else
    cli.terminal.out(
      `${stopped === undefined ? cli.t("background.none", { home: cli.places.home }) : cli.t("background.stopped", { pid: stopped })}\n`,
    );
  return EXIT.done;
};

export const restartGateway: Run = async (cli, input) => {
  if (isInstalled(cli)) refuseAddress(cli, input);
  await stop(cli);
  return startInBackground(cli, input);
};

/** @returns the process that ended; undefined when no gateway ran. @throws RuntimeError `state.locked`. */
async function stop(cli: Cli): Promise<number | undefined> {
  const { places, t } = cli;
  const pid = lockOwner(places.home);
  if (pid === undefined) return undefined;
  if (findGateway(cli) === undefined)
    throw new RuntimeError("state.locked", t("background.other", { pid }), { retryable: true });
  process.kill(pid, "SIGTERM"); // a service that ends in peace is not started again
  const isGone = await within(cli, STOP_MS, () => Promise.resolve(lockOwner(places.home) !== pid));
  if (!isGone)
    throw new RuntimeError("state.locked", t("background.stays", { pid, log: places.log }), { retryable: true });
  rmSync(wordsPath(cli), { force: true }); // who ended in peace has no last words
  return pid;
}

async function startAsService(cli: Cli, input: Input): Promise<number> {
  refuseAddress(cli, input);
  await startService(cli);
  const gateway = await untilReady(cli, () => false);
  if (gateway !== undefined) return tell(cli, gateway, "background.started");
  throw new RuntimeError("state.locked", cli.t("background.serviceFailed"), { retryable: true });
}

/** @throws RuntimeError `usage.wrong`: the service's line has no address. */
function refuseAddress(cli: Cli, input: Input): void {
  if (wordsOf(input).length > 0) throw new RuntimeError("usage.wrong", cli.t("background.serviceOptions"));
}

/** A process of its own session: it outlives the terminal, and is nobody's child when this command has ended. */
async function startDetached(cli: Cli, input: Input): Promise<number> {
  const { environment, places, t } = cli;
  makeDirectory(places.home);
  const words = openSync(wordsPath(cli), "w", 0o600);
  const child = spawn(
    process.execPath,
    [...process.execArgv, process.argv[1] ?? "", "gateway", "--no-open", "--home", places.home, ...wordsOf(input)],
    // Its first lines hold a login link: they go nowhere.
    { detached: true, stdio: ["ignore", "ignore", words], env: environment.env, cwd: places.home },
  );
  closeSync(words);
  child.unref();
  const ended = endOf(child);
  const isOver = (): boolean =>
    ended.code !== undefined &&
    (ended.code !== EXIT.busy ||
      lockOwner(places.home) === undefined ||
      systemClock().monotonic() - ended.at > OTHER_MS);
  const gateway = await untilReady(cli, isOver);
  if (gateway !== undefined)
    return tell(cli, gateway, gateway.pid === child.pid ? "background.started" : "background.runsAlready");
  if (ended.code === undefined)
    throw new RuntimeError("state.locked", t("background.slow", { pid: child.pid ?? 0, log: places.log }), {
      retryable: true,
    });
  cli.terminal.err(`${t("background.failed")}\n${safeText(lastWords(cli))}\n`);
  return ended.code === 0 ? EXIT.failed : ended.code;
}

interface Ended {
  code: number | undefined;
  at: Millis;
}

function endOf(child: ChildProcess): Ended {
  const ended: Ended = { code: undefined, at: 0 };
  const take = (code: number): void => {
    ended.code = code;
    ended.at = systemClock().monotonic();
  };
  child.once("error", () => take(EXIT.failed));
  child.once("exit", (code) => take(code ?? EXIT.failed));
  return ended;
}

/** @param isOver Asked before each look: then it is the last one. @returns undefined when there is none. */
async function untilReady(cli: Cli, isOver: () => boolean): Promise<GatewayClient | undefined> {
  let found: GatewayClient | undefined;
  await within(cli, START_MS, async () => {
    const isLast = isOver();
    const gateway = findGateway(cli);
    if (gateway !== undefined && (await gateway.isReady())) found = gateway;
    return found !== undefined || isLast;
  });
  return found;
}

/** @returns whether it became true. @throws the reason of `cli.signal`. */
async function within({ signal }: Cli, ms: Millis, look: () => Promise<boolean>): Promise<boolean> {
  const clock = systemClock();
  for (const begun = clock.monotonic(); clock.monotonic() - begun < ms; await clock.sleep(LOOK_MS, signal))
    if (await look()) return true;
  return false;
}

function wordsOf(input: Input): readonly string[] {
  return ["host", "port"].flatMap((name) => {
    const value = textOption(input, name);
    return value === undefined ? [] : [`--${name}`, value];
  });
}

async function tell(
  cli: Cli,
  gateway: GatewayClient,
  key: "background.started" | "background.runsAlready",
): Promise<number> {
  const { url, pid } = gateway;
  if (cli.json) {
    cli.terminal.out(jsonLine({ running: true, started: key === "background.started", url, pid, log: cli.places.log }));
    return EXIT.done;
  }
  cli.terminal.out(`${cli.t(key, { url, pid })}\n`);
  if (key === "background.started") {
    const { code } = (await gateway.request("POST", "/auth/codes", { kind: "login" })) as JsonObject; // as the API says
    cli.terminal.out(`${cli.t("gateway.link", { link: `${pageOf(cli, url)}/#login=${String(code)}` })}\n`);
  }
  cli.terminal.out(`${cli.t("background.more")}\n`);
  return EXIT.done;
}

function wordsPath({ places }: Cli): string {
  return join(places.home, "gateway.err");
}

function lastWords(cli: Cli): string {
  try {
    return readFileSync(wordsPath(cli), "utf8").trimEnd().slice(-MAX_LAST_WORDS);
  } catch {
    return ""; // none ran in the background yet
  }
}
