import type { Json, JsonObject, Millis } from "../../contract/base.ts";
import type { Address, BlobRef } from "../../contract/message.ts";
import type { Effect, Reach } from "../../contract/tool.ts";

/** What a package exports as `plugin` to add tools. Its manifest, `plugin.json`, says what it needs; the rest is asked of it. */
export interface ToolPlugin {
  readonly contract: "tool/1";
  /** As in the manifest: `[a-z][a-z0-9-]*`. */
  readonly name: string;
  /** Asked when it is installed, for a person to look at, and when its process starts: equal both times. Does no I/O. */
  tools(host: ToolPluginHost): readonly PluginTool[];
}

/** What a plugin has from its start on. */
export interface ToolPluginHost {
  /** A line in margay's log, under the name of the plugin. At most 500 characters. */
  log(text: string): void;
}

export interface PluginTool {
  /** `[a-zA-Z0-9_-]{1,40}`; the model calls it `plugin_{plugin}_{name}`. */
  readonly name: string;
  /** For the model. A person reads it before it does. */
  readonly description: string;
  /** JSON Schema of its arguments, an object. Arguments are checked before `execute` sees them. */
  readonly input: JsonObject;
  readonly effect: Effect;
  /** Stricter than what the manifest makes of it: hosts make a tool `remote`, `exec` makes it `command`. */
  readonly reach?: Reach;
  /** Default: `tools.timeoutSeconds`. At most ten minutes. */
  readonly timeoutMs?: Millis;
  /** @throws anything: the call failed, by the fault of the plugin. What the model is to know is a result with `isError`. */
  execute(input: JsonObject, call: PluginCall): Promise<PluginResult>;
}

/** What a tool gives: a text, or parts. At most 8 MB; long texts are cut as those of every tool. */
export type PluginResult =
  | string
  | {
      readonly parts: readonly PluginPart[];
      readonly isError?: boolean;
      /** Beside the result, for programs. */ readonly details?: Json;
    };
export type PluginPart =
  | { readonly type: "text"; readonly text: string }
  /** `blob`: of `call.blobs.put` in the same call. */
  | { readonly type: "media"; readonly mediaType: string; readonly blob: BlobRef; readonly name?: string };

/** One call. What the manifest does not ask for is not there: `files`, `fetch` and `exec` throw. */
export interface PluginCall {
  /** Equal for each attempt at the same call. */
  readonly id: string;
  /** The chat that it is made for. */
  readonly origin: Address;
  /** What somebody has set of the settings and secrets that the manifest names: `plugins.{name}.settings` of the configuration. */
  readonly settings: JsonObject;
  /** Aborted when nobody waits any more. What goes on for a second after that is ended with the whole process. */
  readonly signal: AbortSignal;
  /** Files of the workspace, by paths in it. */
  readonly files: PluginFiles;
  /** The hosts of the manifest alone, at public addresses. `GET` and `POST`; no redirect leads to another host. At most 5 MB. */
  fetch(url: string | URL, init?: PluginRequest): Promise<PluginResponse>;
  /** A shell command, where commands of the agent run and as confined as they are. */
  exec(command: string, options?: { readonly timeoutSeconds?: number }): Promise<PluginCommand>;
  /** Shown live. At most 200 a second. */
  progress(text: string): void;
  readonly blobs: {
    /** Keeps bytes for a part of the result. At most 5 MB. */
    put(bytes: Uint8Array): Promise<BlobRef>;
  };
}
export interface PluginFiles {
  /** At most 5 MB. @throws Error with the reason, in words for the model. */
  read(path: string): Promise<Uint8Array>;
  /** The same as text. */
  text(path: string): Promise<string>;
  /** The whole content; parents are made. Not the files that say what the agent is (AGENTS.md, skills). @throws as `read`. */
  write(path: string, content: string | Uint8Array): Promise<void>;
  /** Names in a directory; those of directories end in `/`. */
  list(path: string): Promise<readonly string[]>;
}
export interface PluginRequest {
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}
export interface PluginResponse {
  readonly status: number;
  /** A status from 200 to 299. */
  readonly ok: boolean;
  /** Where it came from in the end. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  bytes(): Promise<Uint8Array>;
  text(): Promise<string>;
  /** @throws SyntaxError. */
  json(): Promise<unknown>;
}
export interface PluginCommand {
  /** What the model would be given: output, `STDERR:`, `Exit code:`. */
  readonly text: string;
  readonly isError: boolean;
}
