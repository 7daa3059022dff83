/** The kill matrix: one turn of the bundle, killed at every commit and in the middle of its effects, then finished. */
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Commit, JournalRecord } from "@margay/core";
import { callsTool, runUntilCrash, says, startMockModel, type MockModel } from "@margay/core/testing";
import { callsTools, type CrashPoint, type RecordedRequest } from "@margay/core/internal/testing";

const program = fileURLToPath(new URL("./turn-program.mjs", import.meta.url));

/** `mid`: the command itself kills margay; `short` ends before the restart, `long` is still running then. */
export type Kill = CrashPoint | { readonly mid: "short" | "long" };

export interface Life {
  readonly kills: readonly Kill[];
}

/** What one run left behind, as promises that were broken; empty when all held. */
export interface Verdict {
  readonly killed: number;
  readonly broken: readonly string[];
}

/** Commits of an undisturbed turn. */
export async function commitsOfTurn(): Promise<number> {
  let commits = 0;
  const { broken } = await live({ kills: [] }, (lines) => (commits = lines.length));
  if (broken.length > 0) throw new Error(`the undisturbed turn: ${broken.join("; ")}`);
  return commits;
}

export async function live({ kills }: Life, look: (lines: readonly Commit[]) => void = () => {}): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), "margay-kill-"));
  const workspace = join(folder, "workspace");
  mkdirSync(workspace);
  writeFileSync(join(workspace, "a.txt"), "alpha\n");
  writeFileSync(join(workspace, "b.txt"), "beta\n");
  writeFileSync(join(workspace, "edit.txt"), "one\n");
  const model = await startMockModel();
  script(model, kills);
  try {
    const args = [program, join(folder, "home"), model.url, workspace];
    const outputs: string[] = [];
    let killed = 0;
    for (const kill of [...kills, undefined]) {
      const { signal, code, stdout, stderr } = await runUntilCrash({
        args,
        ...(kill !== undefined && "commit" in kill && { at: kill }),
      });
      outputs.push(stdout);
      if (signal === "SIGKILL") killed++;
      else if (code !== 0)
        return { killed, broken: [`the process ended with ${code ?? signal}: ${stderr.slice(-400)}`] };
    }
    const [journal] = readdirSync(join(folder, "home/sessions")).filter((name) => name.endsWith(".journal"));
    const lines = readFileSync(join(folder, "home/sessions", journal ?? ""), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Commit); // written by the program
    look(lines);
    return {
      killed,
      broken: [
        ...promises(
          lines.flatMap((line) => [...line.records]),
          outputs.join(""),
        ),
        ...effects(workspace, lines),
        ...wire(model),
      ],
    };
  } finally {
    await model.close().catch(() => {}); // a violation was reported by wire()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Parallel reads; an edit and a command; a write that needs an approval; the answer. A function of the request alone. */
function script(model: MockModel, kills: readonly Kill[]): void {
  const mid = kills.find((kill) => "mid" in kill);
  const counted = "echo ran >> counter";
  // The command has margay killed once: a restart that ran it again would be seen in the counter, not here. It cannot do it
  // itself: it runs in the sandbox.
  const command =
    mid === undefined
      ? `${counted}; echo said; exit 3`
      : `${counted}; : > kill-me; sleep ${"mid" in mid && mid.mid === "long" ? 1.5 : 0.3}; echo said; exit 3`;
  const answer = ({ toolResults }: RecordedRequest): ReturnType<typeof says> => {
    switch (toolResults.length) {
      case 0:
        return callsTools([
          { name: "list_dir", args: { path: "." } },
          { name: "read_file", args: { path: "a.txt" } },
          { name: "read_file", args: { path: "b.txt" } },
        ]);
      case 3:
        return callsTools([
          { name: "edit_file", args: { path: "edit.txt", old_text: "one", new_text: "one two" } },
          { name: "exec", args: { command } },
        ]);
      case 5:
        return callsTool("write_file", { path: "AGENTS.md", content: "Be brief.\n" });
      default:
        return says("All done.");
    }
  };
  model.route(() => true, ...Array.from({ length: 200 }, () => answer));
}

function promises(records: readonly JournalRecord[], output: string): readonly string[] {
  const broken: string[] = [];
  const calls = records.flatMap((record) =>
    record.type === "model.responded"
      ? record.message.parts.flatMap((part) => (part.type === "tool-call" ? [part.callId] : []))
      : [],
  );
  const results = records.flatMap((record) => (record.type === "tool.finished" ? [record.message.callId] : []));
  if (calls.toSorted().join() !== results.toSorted().join())
    broken.push(`calls ${calls.join()} got results ${results.join()}`);
  const received = records.filter((record) => record.type === "message.received").length;
  if (received !== 1) broken.push(`the message is there ${received} times`);
  const ends = records.flatMap((record) => (record.type === "turn.ended" ? [record.reason] : []));
  if (ends.join() !== "done") broken.push(`the turn ended ${ends.join() || "never"}`);
  const replies = records.filter((record) => record.type === "reply.queued" && record.kind === "reply").length;
  if (replies !== 1) broken.push(`${replies} replies were queued`);
  // A kill between showing and noting it may show the same reply again; never another one.
  const shown = new Set(
    output
      .trim()
      .split("\n")
      .filter((line) => line !== ""),
  );
  if (shown.size !== 1) broken.push(`shown: ${[...shown].join(" ") || "nothing"}`);
  broken.push(...startedTwice(records));
  return broken;
}

/** Write calls that were started again without a new judgement: only what provably never began is judged anew (R424). */
export function startedTwice(records: readonly JournalRecord[]): readonly string[] {
  const broken: string[] = [];
  const started = new Set<string>();
  for (const record of records) {
    if (record.type === "call.judged") started.delete(record.call);
    if (record.type !== "tool.started" || record.effect !== "write") continue;
    if (started.has(record.call)) broken.push(`the write call ${record.call} was started again`);
    started.add(record.call);
  }
  return broken;
}

function effects(workspace: string, lines: readonly Commit[]): readonly string[] {
  const broken: string[] = [];
  const result = (name: string) =>
    lines
      .flatMap((line) => line.records)
      .find((record) => record.type === "tool.finished" && record.message.name === name);
  const exec = result("exec");
  const ran = read(workspace, "counter")
    .split("\n")
    .filter((line) => line === "ran").length;
  const text =
    exec?.type === "tool.finished"
      ? exec.message.parts.map((part) => (part.type === "text" ? part.text : "")).join("")
      : "";
  const status = exec?.type === "tool.finished" ? exec.message.status : "missing";
  if (ran > 1) broken.push(`the command ran ${ran} times`);
  // A command that was started is known by its receipt; only one that never began may be unknown.
  if (ran === 1 && !(text.includes("said") && text.includes("Exit code: 3")))
    broken.push(`the command ran and its result is ${status}: ${text.slice(0, 200)}`);
  if (ran === 0 && status !== "interrupted")
    broken.push(`the command never ran and its result is ${status}: ${text.slice(0, 200)}`);
  const edited = read(workspace, "edit.txt");
  if (edited !== "one two\n" && edited !== "one\n") broken.push(`edit.txt holds ${JSON.stringify(edited)}`);
  const edit = result("edit_file");
  if (edited === "one\n" && edit?.type === "tool.finished" && edit.message.status === "ok")
    broken.push("the edit is called done and is not there");
  if (read(workspace, "AGENTS.md") !== "Be brief.\n") broken.push("the approved write is missing");
  return broken;
}

function read(workspace: string, name: string): string {
  try {
    return readFileSync(join(workspace, name), "utf8");
  } catch {
    return ""; // never written
  }
}

/** The extension property and the rules of the wire, over all processes. */
function wire(model: MockModel): readonly string[] {
  try {
    model.assertClean();
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}
