// A workspace on disk and the file tools over it, called the way the loop calls them.
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { BlobRef, ContentPart, ToolStatus } from "../../src/contract/message.ts";
import type { ToolContext } from "../../src/contract/tool.ts";
import type { BlobStore } from "../../src/contract/services.ts";
import { fileTools, type FileToolsOptions } from "../../src/builtin/files/file-tools.ts";
import { sha256 } from "../../src/machine/system/hash.ts";
import { systemClock } from "../../src/machine/system/clock.ts";
import { failureText, invoke } from "../../src/tools/invoke.ts";
import { prepare } from "../../src/tools/prepare.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { said, toolContext } from "../tools/support.ts";

export interface Answer {
  readonly status: ToolStatus;
  readonly text: string;
  readonly parts: readonly ContentPart[];
  readonly integrity?: "untrusted";
}
export interface FileBench {
  readonly base: string;
  readonly workspace: string;
  readonly outside: string;
  readonly state: string;
  readonly blobs: ReadonlyMap<string, Uint8Array>;
  call(name: string, input: Record<string, unknown>, change?: Partial<ToolContext>): Promise<Answer>;
  /** Writes a file of the workspace. */
  put(path: string, content: string | Uint8Array): Promise<string>;
}

/** `ws`, `out`, `home` and `state` side by side in a directory that goes away with the test. */
export async function fileBench(options: Partial<FileToolsOptions> = {}): Promise<FileBench> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "margay-files-")));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const workspace = join(base, "ws");
  const outside = join(base, "out");
  const state = join(base, "state");
  for (const directory of [workspace, outside, state, join(base, "home")]) await mkdir(directory);
  const stored = new Map<string, Uint8Array>();
  const blobs: BlobStore = {
    put: async (bytes): Promise<BlobRef> => {
      const ref = { sha256: sha256(bytes), bytes: bytes.length };
      stored.set(ref.sha256, Buffer.from(bytes));
      return ref;
    },
    read: async (ref) => stored.get(ref.sha256) ?? new Uint8Array(),
  };
  const registry = createRegistry(fileTools({ workspace, protect: [state], blobs, ...options }));
  return {
    base,
    workspace,
    outside,
    state,
    blobs: stored,
    call: async (name, input, change = {}) => {
      // Arguments as a model sends them: through JSON.
      const prepared = await prepare(registry, { name, input: {}, inputText: JSON.stringify(input) });
      if (!prepared.ok) return { status: "error", text: prepared.text, parts: [] };
      const context = toolContext({ clock: systemClock(), workspace, ...change });
      const outcome = await invoke(prepared, context, {
        timeoutMs: 60_000,
        maxResultChars: 16_000,
        store: async () => undefined,
      });
      if (outcome.kind === "threw") return { status: "error", text: failureText(name, 1, outcome.error), parts: [] };
      return { ...outcome, text: said(outcome.parts) };
    },
    put: async (path, content) => {
      const full = join(workspace, path);
      await mkdir(dirname(full), { recursive: true });
      await writeFile(full, content);
      return full;
    },
  };
}
