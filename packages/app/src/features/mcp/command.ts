/** `margay mcp list|test|login`. */
import { RuntimeError } from "@margay/core";
import { nearest } from "@margay/core/internal";
import type { Loaded } from "../../config/load.ts";
import { EXIT, textOption, type Cli, type Run } from "../../host/cli/command.ts";
import { jsonLine, safeText, table } from "../../host/cli/output.ts";

const WAITS = { changed: "mcp.state.changed", unapproved: "mcp.state.unapproved" } as const;

export const listServers: Run = async (cli) => {
  const { standingOf, waitingReview } = await import("./review.ts");
  const loaded = cli.load();
  const { config } = loaded;
  const rows = Object.entries(config.mcpServers).map(([name, { command, args = [], url, disabled, enabledTools }]) => ({
    name,
    transport: command === undefined ? "http" : "stdio",
    what: command === undefined ? (url ?? "") : [command, ...args].join(" "),
    enabledTools,
    disabled,
    standing: standingOf(name, loaded),
    changed: waitingReview(name, loaded)?.tools.length ?? 0,
  }));
  if (cli.json) cli.terminal.out(jsonLine(rows));
  else if (rows.length === 0) cli.terminal.out(`${cli.t("mcp.none")}\n`);
  else
    cli.terminal.out(
      table(
        rows.map(({ name, what, disabled, standing, changed }) => [
          safeText(name),
          standing === "approved" || disabled
            ? cli.t(disabled ? "mcp.state.off" : "mcp.state.on")
            : cli.t(WAITS[standing], { count: changed, name: safeText(name) }),
          safeText(what),
        ]),
      ),
    );
  return EXIT.done;
};

export const testServer: Run = async (cli, input) => {
  const loaded = cli.load();
  const name = knownServer(cli, loaded, input.args[0]);
  const { probeServer, serverAccount } = await import("./service.ts");
  const account = await serverAccount(name, loaded, cli.environment.env);
  // Before it is tried: what it may not write to is a reason to fail.
  if (account !== undefined && !cli.json)
    cli.terminal.err(`${cli.t("mcp.account", { name: safeText(name), account })}\n`);
  const { tools, warnings, manifestHash, standing } = await probeServer(name, loaded, cli.environment.env, cli.signal);
  if (cli.json) {
    const own = account === undefined ? {} : { account };
    cli.terminal.out(jsonLine({ name, ok: true, tools, warnings, manifestHash, standing, ...own }));
    return EXIT.done;
  }
  for (const fact of warnings) cli.terminal.err(`${cli.t("mcp.warning", { fact: safeText(fact) })}\n`);
  cli.terminal.out(`${cli.t("mcp.tools", { name: safeText(name), count: tools.length })}\n`);
  cli.terminal.out(table(tools.map((tool) => [tool.name, tool.effect, firstLine(tool.description)])));
  if (standing !== "approved") cli.terminal.err(`${cli.t("mcp.waits", { name: safeText(name) })}\n`);
  return EXIT.done;
};

export const loginToServer: Run = async (cli, input) => {
  const loaded = cli.load();
  const name = knownServer(cli, loaded, input.args[0]);
  const clientId = textOption(input, "clientId");
  const variable = textOption(input, "clientSecret");
  const clientSecret = variable === undefined ? undefined : cli.environment.env[variable];
  if (variable !== undefined && clientSecret === undefined)
    throw new RuntimeError("usage.wrong", cli.t("usage.missingValue", { name: variable, command: "margay mcp login" }));
  const { loginServer } = await import("./service.ts");
  const { tools, standing } = await loginServer(
    name,
    loaded,
    {
      env: cli.environment.env,
      show: (url) => {
        cli.terminal.out(
          cli.json ? jsonLine({ open: url.href }) : `${cli.t("mcp.open", { url: safeText(url.href) })}\n`,
        );
      },
      ...(clientId !== undefined && { clientId }),
      ...(clientSecret !== undefined && { clientSecret }),
    },
    cli.signal,
  );
  cli.terminal.out(
    cli.json
      ? jsonLine({ name, ok: true, tools: tools.length, standing })
      : `${cli.t("mcp.signedIn", { name: safeText(name), count: tools.length })}\n`,
  );
  if (!cli.json && standing !== "approved") cli.terminal.err(`${cli.t("mcp.waits", { name: safeText(name) })}\n`);
  return EXIT.done;
};

/** @throws RuntimeError `usage.wrong`, with the nearest name there is. */
export function knownServer(cli: Cli, { config }: Loaded, name = ""): string {
  if (Object.hasOwn(config.mcpServers, name)) return name;
  const near = nearest(name, Object.keys(config.mcpServers));
  const hint = near === undefined ? "" : cli.t("error.didYouMean", { name: safeText(near) });
  throw new RuntimeError("usage.wrong", cli.t("mcp.unknown", { name: safeText(name), hint }));
}

const MAX_LINE_CHARS = 100;

function firstLine(text: string): string {
  const [line = ""] = safeText(text).trim().split("\n");
  return line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS)}…` : line;
}
