/** The `mcpServers` JSON that other programs use: read with what margay knows of it, written without any secret. */
import type { JsonObject } from "@margay/core";
import type { Config } from "../../config/config.ts";
import type { Text } from "../../texts/text.ts";
import { McpName, McpServerBody, type McpServerDraft } from "./schema.ts";
import { invalid } from "./draft.ts";
import { filled } from "../../host/api/words.ts";
import { TEXT } from "./api-texts.ts";

export interface Incoming {
  readonly servers: Readonly<Record<string, McpServerDraft>>;
  readonly warnings: readonly string[];
}

export const NAME_TEXT = TEXT.nameServerLetters;

/** Ours in their words. */
const IGNORED: ReadonlySet<string> = new Set([
  "sandbox", // switched off by hand or not at all
  "type",
  "transport",
  "timeout",
  "autoApprove",
  "alwaysAllow",
  "trust",
  "cwd",
]);

/** @throws Problem `mcp.invalid`. */
export function readServers(given: Readonly<Record<string, Readonly<Record<string, unknown>>>>): Incoming {
  const warnings: string[] = [];
  const servers = Object.entries(given).map(([name, server]): [string, McpServerDraft] => {
    if (!McpName.safeParse(name).success) throw invalid(`/mcpServers/${name.slice(0, 40)}`, NAME_TEXT);
    const { disabled, enabledTools, httpUrl, serverUrl, ...rest } = server;
    const known: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(rest))
      if (IGNORED.has(key)) {
        if (key !== "type" && key !== "transport") warnings.push(`${name}: ${key} has no effect here`);
      } else known[key] = value;
    const parsed = McpServerBody.omit({ confirm: true, sandbox: true }).safeParse({
      ...known,
      ...(known["url"] === undefined && (httpUrl ?? serverUrl) !== undefined && { url: httpUrl ?? serverUrl }),
      ...(Array.isArray(enabledTools) && { include: enabledTools }),
      ...(disabled === true && { enabled: false }),
    });
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw invalid(`/mcpServers/${name}/${(issue?.path ?? []).join("/")}`, bothWays(issue?.message ?? "does not fit"));
    }
    if ((parsed.data.command === undefined) === (parsed.data.url === undefined))
      throw invalid(`/mcpServers/${name}`, TEXT.serverHasEither);
    return [name, parsed.data];
  });
  return { servers: Object.fromEntries(servers), warnings };
}

/** Where there is a secret stands `${NAME}`: the reference that an import finds in its environment. */
export function writeServers({ mcpServers }: Config): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(
    Object.entries(mcpServers).map(
      ([name, { command, args, env = {}, url, headers = {}, enabledTools, disabled, network, writable }]) => [
        name,
        {
          ...(command !== undefined && { command, args: [...(args ?? [])] }),
          ...(Object.keys(env).length > 0 && { env: references(env, "") }),
          ...(url !== undefined && { type: "http", url }),
          ...(Object.keys(headers).length > 0 && { headers: references(headers, `${name}_`) }),
          ...(!(enabledTools.length === 1 && enabledTools[0] === "*") && { enabledTools: [...enabledTools] }),
          ...(disabled && { disabled }),
          // That a program runs unconfined is not passed on.
          ...(network.length > 0 && { network: [...network] }),
          ...(writable.length > 0 && { writable: [...writable] }),
        },
      ],
    ),
  );
}

function references(values: Readonly<Record<string, string>>, prefix: string): JsonObject {
  return Object.fromEntries(
    Object.keys(values).map((key) => {
      const variable = prefix === "" ? key : `${prefix}${key}`.toUpperCase().replaceAll(/[^A-Z0-9_]/g, "_");
      return [key, `\${${variable}}`];
    }),
  );
}

/** What the schema says of a field has no translation. */
function bothWays(text: string): Text {
  return filled(TEXT.schemaFault, { text });
}
