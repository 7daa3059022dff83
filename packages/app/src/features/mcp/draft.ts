/** What was typed about a server → a patch of the configuration, or a server to try out. */
import type { Json, JsonObject } from "@margay/core";
import type { McpServerConfig } from "../../config/config.ts";
import type { Text } from "../../texts/text.ts";
import { Problem } from "../../host/api/problem.ts";
import { requireOwner } from "../../host/api/proof.ts";
import type { Call } from "../../host/api/route.ts";
import type { McpServerDraft } from "./schema.ts";
import { isReadForm, writtenSecret } from "../../host/settings/mask.ts";
import { commandLine } from "./view.ts";
import { told } from "../../host/api/words.ts";
import { TEXT } from "./api-texts.ts";

type Caller = Pick<Call<unknown, unknown>, "services" | "credential">;

/** One of the two ways to reach a server. @throws Problem `mcp.invalid`. */
export function refuseNeither({ command, url }: McpServerDraft, path = ""): void {
  if ((command === undefined) !== (url === undefined)) return;
  throw invalid(`${path}/command`, TEXT.giveEitherCommand);
}

/** Starting a program is the owner's, after seeing what exactly is started. @throws Problem. */
export function requireConfirmed(draft: McpServerDraft, saved: McpServerConfig | undefined, call: Caller): void {
  if (draft.command === undefined) {
    const origin = (url: string | undefined): string | undefined =>
      url === undefined ? undefined : URL.parse(url)?.origin;
    const keeps = Object.values(draft.headers ?? {}).some((value) => value !== null && isReadForm(value as Json));
    // A header that is kept would be sent to the new address.
    if (saved !== undefined && keeps && origin(saved.url) !== origin(draft.url))
      requireOwner(call, TEXT.sendingHeadersServer);
    return;
  }
  requireOwner(call, TEXT.startingProgram);
  const line = commandLine(configOf(draft, saved));
  if (saved?.command !== undefined && commandLine(saved) === line) return;
  if (draft.confirm === line) return;
  throw new Problem("mcp.invalid", {
    ...told({ detail: TEXT.commandWouldStarted, remedy: TEXT.sendExactlyLine }, { line }),
    errors: [{ path: "/confirm", code: "required", message: "must be the command line, exactly" }],
    more: { command: line },
  });
}

/** The whole server: what is not given is not kept, but for secrets that were sent back as they were read. */
export function patchOf(draft: McpServerDraft, saved: McpServerConfig | undefined): JsonObject {
  const { command, args, url, env, headers, include, enabled, for: readers } = draft;
  return {
    command: command ?? null,
    args: args === undefined || args.length === 0 ? null : args,
    env: secretPatch(env, saved?.env),
    url: url ?? null,
    headers: secretPatch(headers, saved?.headers),
    enabledTools: include === undefined || (include.length === 1 && include[0] === "*") ? null : include,
    disabled: enabled === false ? true : null,
    ...(readers !== undefined && { for: readers.length === 0 || isOwners(readers) ? null : readers }),
    ...confinementPatch(draft, saved),
  };
}

/** What another program was allowed is not for this one. */
function confinementPatch(draft: McpServerDraft, saved: McpServerConfig | undefined): JsonObject {
  const { sandbox, network, writable } = draft;
  const isOther = saved?.command === undefined || commandLine(configOf(draft, undefined)) !== commandLine(saved);
  return {
    ...(sandbox !== undefined ? { sandbox: sandbox ? null : false } : isOther && { sandbox: null }),
    ...(network !== undefined ? { network: network.length === 0 ? null : network } : isOther && { network: null }),
    ...(writable !== undefined ? { writable: writable.length === 0 ? null : writable } : isOther && { writable: null }),
  };
}

function isOwners([first, ...rest]: readonly string[]): boolean {
  return first === "owner" && rest.length === 0;
}

/** Names that were not sent are removed. */
function secretPatch(given: McpServerDraft["env"], saved: Readonly<Record<string, string>> | undefined): Json {
  if (given === undefined || Object.keys(given).length === 0) return null;
  const gone = Object.keys(saved ?? {}).filter((name) => !Object.hasOwn(given, name));
  return { ...(given as JsonObject), ...Object.fromEntries(gone.map((name) => [name, null])) };
}

export function configOf(draft: McpServerDraft, saved: McpServerConfig | undefined): McpServerConfig {
  const { command, args, url, env, headers, include } = draft;
  const isSame =
    saved?.command !== undefined && commandLine({ command: command ?? "", args: args ?? [] }) === commandLine(saved);
  const kept = isSame ? saved : undefined;
  return {
    ...(command !== undefined && { command, args: args ?? [], env: plain(env, saved?.env) }),
    ...(url !== undefined && { url, headers: plain(headers, saved?.headers) }),
    enabledTools: include ?? ["*"],
    disabled: false,
    sandbox: draft.sandbox ?? kept?.sandbox ?? true,
    network: draft.network ?? kept?.network ?? [],
    writable: draft.writable ?? kept?.writable ?? [],
    for: draft.for ?? saved?.for ?? ["owner"],
  };
}

function plain(
  given: McpServerDraft["env"],
  saved: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(given ?? {}).flatMap(([name, value]): readonly [string, string][] => {
      const text = typeof value === "string" ? value : value === null ? undefined : writtenSecret(value as Json);
      const kept = text ?? (value === null ? undefined : saved?.[name]);
      return kept === undefined ? [] : [[name, kept]];
    }),
  );
}

export function invalid(path: string, message: Text): Problem {
  return new Problem("mcp.invalid", {
    detail: message.en,
    zh: { detail: message["zh-CN"] },
    errors: [{ path, code: "invalid", message: message.en }],
  });
}
