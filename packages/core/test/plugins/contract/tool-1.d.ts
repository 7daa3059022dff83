// tool/1 as it was frozen on 29 November 2026 (decision 0077), without its words: packages/core/src/machine/plugins/tool-plugin.ts has them.
// Never edited. What comes later is in the contract itself, as long as this fits (plugins-1.test.ts).
type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = { readonly [key: string]: Json };
type Millis = number;
type Effect = "read" | "idempotent" | "write";
type Reach = "local" | "remote" | "command";
interface BlobRef {
  readonly sha256: string;
  readonly bytes: number;
}
interface Address {
  readonly channel: string;
  readonly chat: string;
  readonly thread?: string;
}
export interface ToolPlugin {
  readonly contract: "tool/1";
  readonly name: string;
  tools(host: ToolPluginHost): readonly PluginTool[];
}
export interface ToolPluginHost {
  log(text: string): void;
}
export interface PluginTool {
  readonly name: string;
  readonly description: string;
  readonly input: JsonObject;
  readonly effect: Effect;
  readonly reach?: Reach;
  readonly timeoutMs?: Millis;
  execute(input: JsonObject, call: PluginCall): Promise<PluginResult>;
}
export type PluginResult =
  | string
  | {
      readonly parts: readonly PluginPart[];
      readonly isError?: boolean;
      readonly details?: Json;
    };
export type PluginPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "media"; readonly mediaType: string; readonly blob: BlobRef; readonly name?: string };
export interface PluginCall {
  readonly id: string;
  readonly origin: Address;
  readonly signal: AbortSignal;
  readonly files: PluginFiles;
  fetch(url: string | URL, init?: PluginRequest): Promise<PluginResponse>;
  exec(command: string, options?: { readonly timeoutSeconds?: number }): Promise<PluginCommand>;
  progress(text: string): void;
  readonly blobs: {
    put(bytes: Uint8Array): Promise<BlobRef>;
  };
}
export interface PluginFiles {
  read(path: string): Promise<Uint8Array>;
  text(path: string): Promise<string>;
  write(path: string, content: string | Uint8Array): Promise<void>;
  list(path: string): Promise<readonly string[]>;
}
export interface PluginRequest {
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}
export interface PluginResponse {
  readonly status: number;
  readonly ok: boolean;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  bytes(): Promise<Uint8Array>;
  text(): Promise<string>;
  json(): Promise<unknown>;
}
export interface PluginCommand {
  readonly text: string;
  readonly isError: boolean;
}
