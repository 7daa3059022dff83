/** `margay mcp add|remove`: changes of `mcpServers` in `config.json`; values that are secret go to files of their own. */
import { basename } from "node:path";
import { RuntimeError } from "@margay/core";
import { messageOf, type ServerReview } from "@margay/core/internal";
import { pathIn } from "../../config/paths.ts";
import { saveChanges, type Change } from "../../config/save.ts";
import { forgetSecrets, setApart } from "../../config/secrets/secrets.ts";
import { EXIT, listOption, textOption, type Cli, type Input, type Run } from "../../host/cli/command.ts";
import { askOwner } from "../../host/cli/confirm.ts";
import type { Answered } from "./command-approve.ts";
import { jsonLine, safeText } from "../../host/cli/output.ts";

/** It becomes part of tool names. */
const NAME = /^[A-Za-z0-9_-]{1,32}$/;
const KEYS: readonly string[] = [
  "command",
  "args",
  "env",
  "url",
  "headers",
  "enabledTools",
  "disabled",
  "sandbox",
  "network",
  "writable",
  "for",
];

export const addServer: Run = async (cli, input) => {
  const [name = "", command, ...args] = input.args;
  const url = textOption(input, "url");
  if (!NAME.test(name)) throw new RuntimeError("usage.wrong", cli.t("mcp.badName", { name: safeText(name) }));
  if ((command === undefined) === (url === undefined)) throw new RuntimeError("usage.wrong", cli.t("mcp.commandOrUrl"));
  if (Object.hasOwn(cli.load().config.mcpServers, name))
    throw new RuntimeError("usage.wrong", cli.t("mcp.exists", { name }));
  const at = `mcpServers.${name}`;
  const env = pairs(cli, listOption(input, "env"));
  const headers = pairs(cli, listOption(input, "header"));
  const tools = listOption(input, "tool");
  const network = listOption(input, "network");
  const writable = listOption(input, "writable").map((path) =>
    pathIn(cli.environment.currentDirectory, path, cli.environment.userHome),
  );
  const readers = listOption(input, "for");
  const changes: readonly Change[] = [
    ...(command === undefined ? [] : [{ path: `${at}.command`, value: command }]),
    ...(args.length === 0 ? [] : [{ path: `${at}.args`, value: args }]),
    ...(url === undefined ? [] : [{ path: `${at}.url`, value: url }]),
    ...(env.length === 0 ? [] : [{ path: `${at}.env`, ...setApart(cli.places, `${at}.env`, Object.fromEntries(env)) }]),
    ...(headers.length === 0
      ? []
      : [{ path: `${at}.headers`, ...setApart(cli.places, `${at}.headers`, Object.fromEntries(headers)) }]),
    ...(tools.length === 0 ? [] : [{ path: `${at}.enabledTools`, value: [...tools] }]),
    ...(network.length === 0 ? [] : [{ path: `${at}.network`, value: [...network] }]),
    ...(writable.length === 0 ? [] : [{ path: `${at}.writable`, value: writable }]),
    ...(readers.length === 0 ? [] : [{ path: `${at}.for`, value: [...readers] }]),
  ];
  await saveChanges(changes, { places: cli.places, env: cli.environment.env, t: cli.t });
  const what = url ?? [command, ...args].join(" ");
  if (!cli.json) cli.terminal.out(`${cli.t("mcp.added", { name, what: safeText(what) })}\n`);
  const registry = RUNNERS[basename(command ?? "")];
  const isStuck = registry !== undefined && network.length === 0;
  if (isStuck) cli.terminal.err(`${cli.t("mcp.needsNetwork", { name, command: command ?? "", registry })}\n`);
  const answered = isStuck ? "waits" : await firstLook(cli, input, name);
  if (cli.json) cli.terminal.out(jsonLine({ name, added: true, approved: answered === "approved" }));
  else if (answered === "waits") cli.terminal.out(`${cli.t("mcp.waits", { name })}\n`);
  else if (answered === "approved") await offerWritable(cli, name);
  return textOption(input, "approveHash") === undefined || answered === "approved" ? EXIT.done : EXIT.failed;
};

/** Connects it and asks about what it says of itself, when there is somebody to answer. */
async function firstLook(cli: Cli, input: Input, name: string): Promise<Answered> {
  if (textOption(input, "approveHash") === undefined && (cli.json || !cli.terminal.interactive)) return "waits";
  const loaded = cli.load();
  const { lookAtServer } = await import("./service.ts");
  let review: ServerReview | undefined;
  try {
    review = await lookAtServer(name, loaded, cli.environment.env, cli.signal);
  } catch (error) {
    cli.signal.throwIfAborted();
    cli.terminal.err(`${cli.t("mcp.notThere", { name, reason: safeText(messageOf(error)) })}\n`);
    return "waits";
  }
  if (review === undefined) return "approved";
  const { askAbout } = await import("./command-approve.ts");
  return askAbout(cli.json ? { ...cli, json: false, terminal: silent(cli) } : cli, input, name, loaded, review);
}

/** One object on stdout is the answer to `--json`. */
function silent({ terminal }: Cli): Cli["terminal"] {
  return { ...terminal, out: () => {} };
}

/** What it is started with it may read; what it may change is another question. */
async function offerWritable(cli: Cli, name: string): Promise<void> {
  const { readOnlyFolders } = await import("./service.ts");
  const loaded = cli.load();
  const folders = readOnlyFolders(name, loaded);
  if (folders.length === 0) return;
  const path = `mcpServers.${name}.writable`;
  const shown = { name, folders: safeText(folders.join(", ")), key: path };
  if (!(await askOwner(cli.terminal, cli.t("mcp.writableAsk", shown), cli.signal))) {
    cli.terminal.out(`${cli.t("mcp.readsOnly", shown)}\n`);
    return;
  }
  const value = [...(loaded.config.mcpServers[name]?.writable ?? []), ...folders];
  await saveChanges([{ path, value }], { places: cli.places, env: cli.environment.env, t: cli.t });
  cli.terminal.out(`${cli.t("mcp.writes", shown)}\n`);
}

/** Programs that fetch what they run, and from where. */
const RUNNERS: Readonly<Record<string, string>> = {
  npx: '["registry.npmjs.org"]',
  npm: '["registry.npmjs.org"]',
  pnpm: '["registry.npmjs.org"]',
  bunx: '["registry.npmjs.org"]',
  uvx: '["pypi.org","files.pythonhosted.org"]',
  pipx: '["pypi.org","files.pythonhosted.org"]',
};

export const removeServer: Run = async (cli, input) => {
  const [name = ""] = input.args;
  const server = cli.load().config.mcpServers[name];
  if (server === undefined)
    throw new RuntimeError("usage.wrong", cli.t("mcp.unknown", { name: safeText(name), hint: "" }));
  const at = `mcpServers.${name}`;
  await saveChanges(
    KEYS.map((key) => ({ path: `${at}.${key}`, value: undefined })),
    { places: cli.places, env: cli.environment.env, t: cli.t },
  );
  forgetSecrets(cli.places, `${at}.env`, server.env ?? {});
  forgetSecrets(cli.places, `${at}.headers`, server.headers ?? {});
  const { forgetServer } = await import("./service.ts");
  await forgetServer(name, cli.places);
  cli.terminal.out(
    cli.json ? jsonLine({ name, removed: true }) : `${cli.t("mcp.removed", { name: safeText(name) })}\n`,
  );
  return EXIT.done;
};

function pairs(cli: Cli, texts: readonly string[]): readonly (readonly [string, string])[] {
  return texts.map((text) => {
    const at = text.indexOf("=");
    if (at < 1) throw new RuntimeError("usage.wrong", cli.t("mcp.badPair", { text: safeText(text) }));
    return [text.slice(0, at), text.slice(at + 1)];
  });
}
