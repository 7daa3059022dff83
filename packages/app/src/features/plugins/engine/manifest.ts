/** `plugin.json` of a tool or hook plugin: what it needs, read without any of its code. */
import { RuntimeError } from "@margay/core";
import { isEgressEntry, isRecord, parseJson, type HookPoint, type Reach } from "@margay/core/internal";
import { isSecretName } from "../../../config/secrets/secret-names.ts";

export interface PluginManifest {
  readonly contract: "tool/1" | "hook/1";
  readonly name: string;
  /** As people read it. */
  readonly title: string;
  /** Where `fetch` may go: `api.example.com`, `*.example.com`, either with a port. */
  readonly hosts: readonly string[];
  /** What it may do with the files of the workspace. */
  readonly files: "none" | "read" | "write";
  readonly exec: boolean;
  /** Its results follow from the arguments alone: they are no stranger's text. */
  readonly pure: boolean;
  /** Names below `plugins.{name}.settings` of the configuration: what each call is given, and nothing else of it. */
  readonly settings?: readonly string[];
  /** The same, of secrets. */
  readonly secrets?: readonly string[];
}

const NAME = /^[a-z][a-z0-9-]{0,23}$/;
const SETTING = /^[a-z][a-zA-Z0-9]{0,39}$/;
export const HOOK_POINTS: readonly HookPoint[] = [
  "turn.start",
  "call.before",
  "call.after",
  "turn.end",
  "message.in",
  "reply.out",
];

/** @throws RuntimeError `plugin.invalid`: it is none, in words for its author. */
export function readManifest(text: string, from: string): PluginManifest {
  const value = parseJson(text);
  const no = (why: string): RuntimeError =>
    new RuntimeError("plugin.invalid", `plugin.json of ${from} cannot be used: ${why}. Correct it.`);
  if (!isRecord(value)) throw no("it is no JSON object");
  const { contract, name, title = name, hosts = [], files = "none", exec = false, pure = false } = value;
  const { settings = [], secrets = [] } = value;
  if (contract !== "tool/1" && contract !== "hook/1")
    throw no(`its contract is ${JSON.stringify(contract)}, and this margay knows tool/1 and hook/1`);
  if (typeof name !== "string" || !NAME.test(name)) throw no(`name must fit ${NAME.source}`);
  if (typeof title !== "string" || title.length > 80) throw no("title must be a text of at most 80 characters");
  if (!Array.isArray(hosts) || !hosts.every((host) => typeof host === "string" && isEgressEntry(host)))
    throw no("hosts must be a list of names such as api.example.com");
  if (files !== "none" && files !== "read" && files !== "write") throw no("files must be none, read or write");
  if (typeof exec !== "boolean" || typeof pure !== "boolean") throw no("exec and pure must be true or false");
  if (!areNames(settings) || !areNames(secrets))
    throw no(`settings and secrets must be lists of names that fit ${SETTING.source}`);
  const open = secrets.find((one) => !isSecretName(one));
  if (open !== undefined)
    throw no(`the secret ${open} must end in Token, Secret, Password or Key: by that its value is kept`);
  const needs = hosts.length > 0 || files !== "none" || exec;
  const isSet = settings.length > 0 || secrets.length > 0;
  if (pure && (needs || isSet)) throw no("what is pure has no hosts, files, commands or settings");
  if (contract === "hook/1" && (needs || isSet || pure))
    throw no("a hook has no hosts, files, commands, settings, and is not pure");
  return { contract, name, title, hosts, files, exec, pure, ...(isSet && { settings, secrets }) };
}

function areNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string" && SETTING.test(one));
}

const ORDER: readonly Reach[] = ["local", "remote", "command"];

/** What calls of a tool reach: as it says itself, or more when the manifest gives it more. */
export function reachOf({ hosts, exec }: Pick<PluginManifest, "hosts" | "exec">, own: Reach | undefined): Reach {
  const given = exec ? "command" : hosts.length > 0 ? "remote" : "local";
  // guard: what a plugin may reach decides, and not what it says of itself.
  return ORDER[Math.max(ORDER.indexOf(given), ORDER.indexOf(own ?? "local"))] ?? given;
}
