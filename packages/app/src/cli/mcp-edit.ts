/** `margay mcp add|remove`: changes of `mcpServers` in `config.json`; values that are secret go to files of their own. */
import { basename } from "node:path";
import { RuntimeError } from "@margay/core";
import { pathIn } from "../config/paths.ts";
import { saveChanges, type Change } from "../config/save.ts";
import { forgetSecrets, setApart } from "../config/secrets.ts";
import { EXIT, listOption, textOption, type Cli, type Run } from "./command.ts";
import { jsonLine, safeText } from "./output.ts";

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
  ];
  saveChanges(changes, { path: cli.places.config, env: cli.environment.env, t: cli.t });
  const what = url ?? [command, ...args].join(" ");
  cli.terminal.out(
    cli.json ? jsonLine({ name, added: true }) : `${cli.t("mcp.added", { name, what: safeText(what) })}\n`,
  );
  const registry = RUNNERS[basename(command ?? "")];
  if (registry !== undefined && network.length === 0)
    cli.terminal.err(`${cli.t("mcp.needsNetwork", { name, command: command ?? "", registry })}\n`);
  return EXIT.done;
};

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
  saveChanges(
    KEYS.map((key) => ({ path: `${at}.${key}`, value: undefined })),
    { path: cli.places.config, env: cli.environment.env, t: cli.t },
  );
  forgetSecrets(cli.places, `${at}.env`, server.env ?? {});
  forgetSecrets(cli.places, `${at}.headers`, server.headers ?? {});
  const { forgetServer } = await import("../mcp.ts");
  forgetServer(name, cli.places);
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
