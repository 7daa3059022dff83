// Commands that a test performs itself, over real labels, a real undo store and real files: it can die between any two steps.
import fs from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createCommandLabels } from "../../src/labels/command-labels.ts";
import { type FileLabels, openFileLabels } from "../../src/labels/file-labels.ts";
import { openUndo, type Undo } from "../../src/undo/undo.ts";
import type { CallId, Clock, SessionId, TurnId } from "../../src/contract/base.ts";
import type { Readers } from "../../src/contract/people.ts";
import type { ToolContext } from "../../src/contract/tool.ts";
import { PLAIN } from "../../src/lib/labels.ts";
import { systemClock } from "../../src/machine/system/clock.ts";
import { createMachine, silent } from "../builtin/machine.ts";
import { LIMITS } from "../undo/support.ts";
import { STRANGE } from "./bench.ts";
import { rootOn } from "./world.ts";
import { sha256 } from "../../src/machine/system/hash.ts";

export interface Given {
  /** It was given after a stranger's text was read. */
  readonly untrusted?: true;
  /** Of what stood in its context. */
  readonly readers?: readonly Readers[];
  readonly causes?: () => readonly string[];
  readonly network?: true;
}

export interface LiveBench {
  readonly workspace: string;
  readonly state: string;
  readonly labels: FileLabels;
  readonly undo: Undo;
  /** @param name of the command, which is a turn of its own. */
  start(name: string, given?: Given): Promise<void>;
  ready(name: string): Promise<void>;
  end(name: string): Promise<readonly string[]>;
  /** A file tool writes what a stranger had a hand in. */
  page(path: string, content: string | Buffer): Promise<void>;
  /** From then on nothing more is labelled: the process is gone, only what it wrote stands. `torn`: half of the last line does not. */
  dieAfter(writes: number, torn: boolean): void;
  /** How often a label was written. */
  readonly writes: number;
  /** Another process over the same state. */
  restart(): void;
}

const WRITES = ["writing", "add", "met", "print", "addTree", "addNames", "addMixed", "drop"] as const;

let benches = 0;

interface LiveOptions {
  readonly maxBytes?: number;
  readonly exclude?: readonly string[];
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Default: in memory. */
  readonly on?: string;
}

export function liveBench(options: LiveOptions = {}): LiveBench {
  const machine = createMachine();
  benches += 1;
  const root = fs.mkdtempSync(join(options.on ?? rootOn("memory"), `live${benches}-`));
  onTestFinished(() => {
    machine[Symbol.dispose]();
    fs.rmSync(root, { recursive: true, force: true });
  });
  const [workspace, state] = [join(root, "workspace"), join(root, "state")];
  for (const directory of [workspace, state]) fs.mkdirSync(directory);
  let writes = 0;
  let left = Infinity;
  let isTorn = false;
  const files = ["file-labels.jsonl", "file-prints.jsonl"].map((name) => join(state, name));
  const sizes = (): readonly number[] => files.map((file) => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  const mortal = (labels: FileLabels): FileLabels => {
    const counted =
      <Rest extends readonly unknown[]>(write: (...rest: Rest) => void) =>
      (...rest: Rest): void => {
        if (left === 0) throw new Error("killed");
        left -= 1;
        writes += 1;
        const before = sizes();
        write(...rest);
        if (left > 0 || !isTorn) return;
        // A process writes one line after the other: it died in the last one.
        const last = files.findIndex(
          (file, index) => (fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > (before[index] ?? 0),
        );
        const file = files[last];
        if (file !== undefined) fs.truncateSync(file, Math.floor(((before[last] ?? 0) + fs.statSync(file).size) / 2));
        throw new Error("killed");
      };
    const wrapped = Object.fromEntries(
      WRITES.map((name) => [name, counted(labels[name] as (...rest: unknown[]) => void)]),
    );
    // A getter is asked anew each time: it is inherited, not copied.
    return Object.assign(Object.create(labels) as FileLabels, wrapped);
  };
  const open = (): { readonly undo: Undo; readonly labels: FileLabels } => {
    const labels = mortal(openFileLabels(state));
    const undo = openUndo({
      ...LIMITS,
      clock: systemClock(),
      ...options,
      directory: join(state, "undo"),
      workspace,
      log: silent,
      labels: createCommandLabels({ workspace, clock: systemClock(), labels }),
    });
    return { undo, labels };
  };
  let opened = open();
  const context = (name: string, given: Given = {}): ToolContext =>
    machine.context({
      sessionId: "s-1" as SessionId,
      turnId: `t-${name.toLowerCase().replaceAll(/[^a-z0-9]/g, "-")}` as TurnId, // a name of a file, too
      callId: `c-${name}` as CallId,
      label: {
        ...(given.untrusted === true ? STRANGE : PLAIN),
        ...(given.readers !== undefined && { readers: given.readers }),
      },
    });
  return {
    workspace,
    state,
    get labels() {
      return opened.labels;
    },
    get undo() {
      return opened.undo;
    },
    get writes() {
      return writes;
    },
    start: (name, given = {}) => {
      const { causes = () => [], network = false } = given;
      return opened.undo.commandStarting(context(name, given), { causes, network });
    },
    ready: (name) => opened.undo.commandReady(context(name)),
    end: async (name) => (await opened.undo.commandEnded(context(name))).causes,
    page: async (path, content) => {
      const data = Buffer.from(content);
      opened.labels.writing(path, data, STRANGE, "whole");
      await opened.undo.writing(
        { real: path, data, made: [], part: "whole" },
        context(`page-${path}`, { untrusted: true }),
      );
      fs.rmSync(join(workspace, path), { force: true }); // a file tool puts a new file in its place
      fs.writeFileSync(join(workspace, path), data);
    },
    dieAfter: (count, torn) => {
      left = count;
      isTorn = torn;
    },
    restart: () => {
      left = Infinity;
      opened = open();
    },
  };
}

/** Every file of the workspace that counts as a stranger's, and what else is known. */
export function known({ workspace, labels }: Pick<LiveBench, "workspace" | "labels">): ReadonlySet<string> {
  const found = new Set<string>();
  for (const entry of fs.readdirSync(workspace, { recursive: true, encoding: "utf8" })) {
    const stats = fs.lstatSync(join(workspace, entry));
    if (labels.byPath(entry)) found.add(`path ${entry}`);
    if (stats.isFile() && labels.hashedAt(sha256(fs.readFileSync(join(workspace, entry)))) !== undefined)
      found.add(`content ${entry}`);
  }
  for (const directory of labels.names()) found.add(`names ${directory}`);
  for (const directory of labels.mixed()) found.add(`mixed ${directory}`);
  return found;
}
