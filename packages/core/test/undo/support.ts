// A workspace with the tools that change it, all of them kept by one undo store.
import fs from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { execTool } from "../../src/builtin/exec/exec.ts";
import { createCommandLabels } from "../../src/labels/command-labels.ts";
import { openFileLabels, type FileLabels } from "../../src/labels/file-labels.ts";
import { fileTools } from "../../src/builtin/files/file-tools.ts";
import { openUndo, type Undo, type UndoOptions } from "../../src/undo/undo.ts";
import type { SessionId, TurnId } from "../../src/contract/base.ts";
import type { ToolContext, ToolResult } from "../../src/contract/tool.ts";
import { sha256 } from "../../src/machine/system/hash.ts";
import { systemClock } from "../../src/machine/system/clock.ts";
import { createMachine, silent, textOf } from "../builtin/machine.ts";

export interface UndoBench {
  readonly workspace: string;
  readonly directory: string;
  readonly labels: FileLabels;
  /** The store; after `restart` another one over the same directory. */
  readonly undo: Undo;
  restart(): void;
  /** @param turn `session/turn`. */
  exec(turn: string, command: string, change?: Partial<ToolContext>): Promise<string>;
  write(turn: string, path: string, content: string): Promise<string>;
  edit(turn: string, path: string, from: string, to: string): Promise<string>;
  /** Restores what the turn did, refused files left out. @returns what was not restored, and why. */
  undoTurn(turn: string, id?: string, force?: boolean): Promise<Record<string, string>>;
  /** Everything in the workspace: kind, mode and content by path. */
  tree(): Record<string, string>;
  put(path: string, content: string | Uint8Array, mode?: number): void;
  context(turn: string, change?: Partial<ToolContext>): ToolContext;
}

export const LIMITS = {
  maxBytes: 64 * 1024 * 1024,
  maxFileBytes: 8 * 1024 * 1024,
  keepTurns: 50,
  keepDays: 14,
  exclude: ["node_modules"],
} as const;

export function undoBench(options: Partial<UndoOptions> = {}): UndoBench {
  const machine = createMachine();
  onTestFinished(() => machine[Symbol.dispose]());
  const { workspace, state } = machine;
  const directory = join(state, "undo");
  const labels = openFileLabels(state);
  const open = (): Undo =>
    openUndo({
      ...LIMITS,
      directory,
      workspace,
      protect: [state],
      clock: systemClock(),
      log: silent,
      labels: createCommandLabels({ workspace, clock: systemClock(), labels }),
      ...options,
    });
  let undo = open();
  const kept: Undo = {
    commandStarting: (context, facts) => undo.commandStarting(context, facts),
    commandReady: (context) => undo.commandReady(context),
    commandEnded: (context) => undo.commandEnded(context),
    writing: (write, context) => undo.writing(write, context),
    writingItself: (write) => undo.writingItself(write),
    list: (session) => undo.list(session),
    plan: (target) => undo.plan(target),
    apply: (request) => undo.apply(request),
    forget: (session) => undo.forget(session),
  };
  const command = execTool({ directory: join(state, "exec"), environment: process.env, undo: kept });
  const files = fileTools({ workspace, protect: [state], labels, beforeWrite: kept.writing });
  const context = (turn: string, change: Partial<ToolContext> = {}): ToolContext => {
    const [session = "", id = ""] = turn.split("/");
    return machine.context({ sessionId: session as SessionId, turnId: id as TurnId, ...change }); // a test's own ids
  };
  const call = async (name: string, turn: string, input: unknown, change?: Partial<ToolContext>): Promise<string> => {
    const tool = name === "exec" ? command : files.find((each) => each.name === name);
    if (tool === undefined) throw new Error(name);
    const result: ToolResult = await tool.execute(input as never, context(turn, change)); // as the loop after validation
    return typeof result === "string" ? result : textOf(result);
  };
  return {
    workspace,
    directory,
    labels,
    undo: kept,
    restart: () => void (undo = open()),
    exec: (turn, text, change) => call("exec", turn, { command: text }, change),
    write: (turn, path, content) => call("write_file", turn, { path, content }),
    edit: (turn, path, from, to) => call("edit_file", turn, { path, old_text: from, new_text: to }),
    undoTurn: async (turn, id = `undo-${turn.replace("/", "-")}`, force = false) => {
      const [session = "", one = ""] = turn.split("/");
      const done = await undo.apply({ session, turn: one, id, force });
      if (done === undefined || done === "busy") return { [turn]: String(done) };
      const left = done.plan.items.filter(
        ({ problem }) => problem?.by === "never" || (problem !== undefined && !force),
      );
      return {
        ...Object.fromEntries(left.map(({ path, problem }) => [path, problem?.why ?? ""])),
        ...Object.fromEntries(
          done.restored.flatMap(({ path, failed }) => (failed === undefined ? [] : [[path, failed]])),
        ),
      };
    },
    tree: () => treeOf(workspace),
    put: (path, content, mode) => {
      const full = join(workspace, path);
      fs.mkdirSync(join(full, ".."), { recursive: true });
      fs.writeFileSync(full, content);
      if (mode !== undefined) fs.chmodSync(full, mode);
    },
    context,
  };
}

/** Without the place where unfinished writes lie. */
export function treeOf(root: string, prefix = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of fs.readdirSync(join(root, prefix)).toSorted()) {
    const path = prefix === "" ? name : `${prefix}/${name}`;
    if (path === ".margay") continue;
    const stats = fs.lstatSync(join(root, path));
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isSymbolicLink()) found[path] = `link ${fs.readlinkSync(join(root, path))}`;
    else if (stats.isDirectory()) Object.assign(found, { [path]: `directory ${mode}` }, treeOf(root, path));
    else found[path] = `file ${mode} ${sha256(fs.readFileSync(join(root, path)))}`;
  }
  return found;
}
