/** `margay mcp list|test|accept|login`. */
import { nearest, RuntimeError } from "@margay/core";
import type { Loaded } from "../config/load.ts";
import { EXIT, textOption, type Cli, type Run } from "./command.ts";
import { confirmed } from "./confirm.ts";
import { jsonLine, safeText, table } from "./output.ts";

export const listServers: Run = async (cli) => {
  const { pendingChanges } = await import("../mcp.ts");
  const { config, places } = cli.load();
  const rows = Object.entries(config.mcpServers).map(([name, { command, args = [], url, disabled, enabledTools }]) => ({
    name,
    transport: command === undefined ? "http" : "stdio",
    what: command === undefined ? (url ?? "") : [command, ...args].join(" "),
    enabledTools,
    disabled,
    changed: pendingChanges(name, places).length,
  }));
  if (cli.json) cli.terminal.out(jsonLine(rows));
  else if (rows.length === 0) cli.terminal.out(`${cli.t("mcp.none")}\n`);
  else
    cli.terminal.out(
      table(
        rows.map(({ name, what, disabled, changed }) => [
          safeText(name),
          changed > 0
            ? cli.t("mcp.state.changed", { count: changed, name: safeText(name) })
            : cli.t(disabled ? "mcp.state.off" : "mcp.state.on"),
          safeText(what),
        ]),
      ),
    );
  return EXIT.done;
};

export const testServer: Run = async (cli, input) => {
  const loaded = cli.load();
  const name = knownServer(cli, loaded, input.args[0]);
  const { probeServer, serverAccount } = await import("../mcp.ts");
  const account = await serverAccount(name, loaded, cli.environment.env);
  // Before it is tried: what it may not write to is a reason to fail.
  if (account !== undefined && !cli.json)
    cli.terminal.err(`${cli.t("mcp.account", { name: safeText(name), account })}\n`);
  const { tools, warnings } = await probeServer(name, loaded, cli.environment.env, cli.signal);
  if (cli.json) {
    cli.terminal.out(jsonLine({ name, ok: true, tools, warnings, ...(account !== undefined && { account }) }));
    return EXIT.done;
  }
  for (const fact of warnings) cli.terminal.err(`${cli.t("mcp.warning", { fact: safeText(fact) })}\n`);
  cli.terminal.out(`${cli.t("mcp.tools", { name: safeText(name), count: tools.length })}\n`);
  cli.terminal.out(table(tools.map((tool) => [tool.name, tool.effect, firstLine(tool.description)])));
  return EXIT.done;
};

const KINDS = {
  added: "mcp.change.added",
  removed: "mcp.change.removed",
  changed: "mcp.change.changed",
} as const;

export const acceptServer: Run = async (cli, input) => {
  const { acceptChanges, pendingChanges, pinnedHash } = await import("../mcp.ts");
  const { places } = cli;
  const name = knownServer(cli, cli.load(), input.args[0]);
  const seen = pinnedHash(name, places); // first: what changes from here on is not what was shown
  const changes = pendingChanges(name, places);
  if (changes.length === 0) {
    cli.terminal.out(
      cli.json ? jsonLine({ name, accepted: [] }) : `${cli.t("mcp.nothing", { name: safeText(name) })}\n`,
    );
    return EXIT.done;
  }
  if (!cli.json)
    for (const { tool, kind, before, after } of changes) {
      cli.terminal.out(`${safeText(tool)} (${cli.t(KINDS[kind])})\n`);
      if (before !== undefined) cli.terminal.out(`  ${cli.t("mcp.before")}: ${indented(before)}\n`);
      if (after !== undefined) cli.terminal.out(`  ${cli.t("mcp.after")}: ${indented(after)}\n`);
    }
  if (!(await confirmed(cli, input, cli.t("mcp.acceptAsk")))) {
    cli.terminal.err(`${cli.t("mcp.notAccepted")}\n`);
    return EXIT.failed;
  }
  const accepted = acceptChanges(name, places, seen);
  if (accepted === undefined) {
    cli.terminal.err(`${cli.t("mcp.changedAgain", { name: safeText(name) })}\n`);
    return EXIT.failed;
  }
  cli.terminal.out(cli.json ? jsonLine({ name, accepted }) : `${cli.t("mcp.accepted")}\n`);
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
  const { loginServer } = await import("../mcp.ts");
  const { tools } = await loginServer(
    name,
    loaded,
    {
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
      ? jsonLine({ name, ok: true, tools: tools.length })
      : `${cli.t("mcp.signedIn", { name: safeText(name), count: tools.length })}\n`,
  );
  return EXIT.done;
};

function knownServer(cli: Cli, { config }: Loaded, name = ""): string {
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

function indented(text: string): string {
  return safeText(text).replaceAll("\n", "\n    ");
}
