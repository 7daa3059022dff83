// Works on a workspace and kills itself with SIGKILL at its n-th change of a file: argv is directory, workspace, what, n,
// and a file that is told what was synced.
import fs from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { PLAIN } from "../../src/lib/labels.ts";
import type { CallId, SessionId, TurnId } from "../../src/contract/base.ts";
import type { ToolContext } from "../../src/contract/tool.ts";
import { silent } from "../builtin/machine.ts";
import { LIMITS } from "./support.ts";

const [directory = "", workspace = "", what = "", at = "", synced = ""] = process.argv.slice(2);
let left = Number(at);
const { appendFileSync, fsync } = fs;
const { open } = promises;
/** A folder with the names that are in it. */
function noted(fd: number): () => void {
  const stats = fs.fstatSync(fd);
  const names = stats.isDirectory() ? fs.readdirSync(`/proc/self/fd/${fd}`) : [];
  return () => appendFileSync(synced, `${JSON.stringify([stats.ino, names])}\n`);
}
Object.assign(fs, {
  fsync: (fd: number, done: fs.NoParamCallback) => {
    const note = noted(fd);
    fsync(fd, (error) => {
      note();
      done(error);
    });
  },
});
Object.assign(promises, {
  open: async (...rest: Parameters<typeof open>) => {
    const handle = await open(...rest);
    for (const name of ["sync", "datasync"] as const) {
      const work = handle[name].bind(handle);
      handle[name] = async () => {
        const note = noted(handle.fd);
        await work();
        note();
      };
    }
    return handle;
  },
});
/** Before it, as a power switch would. */
function counted<Rest extends readonly unknown[], Result>(work: (...rest: Rest) => Result): (...rest: Rest) => Result {
  return (...rest) => {
    left -= 1;
    if (left === 0) process.kill(process.pid, "SIGKILL");
    return work(...rest);
  };
}
for (const name of [
  "appendFileSync",
  "writeFileSync",
  "writeSync",
  "renameSync",
  "rmSync",
  "rmdirSync",
  "unlinkSync",
  "mkdirSync",
] as const)
  Object.assign(fs, { [name]: counted(fs[name] as (...rest: unknown[]) => unknown) });
for (const name of ["rename", "open"] as const)
  Object.assign(promises, { [name]: counted(promises[name] as (...rest: unknown[]) => unknown) });
syncBuiltinESMExports();

const { openUndo } = await import("../../src/undo/undo.ts");
const { fileTools } = await import("../../src/builtin/files/file-tools.ts");
const { systemClock } = await import("../../src/machine/system/clock.ts");
const clock = systemClock();
const undo = openUndo({ ...LIMITS, directory, workspace, clock, log: silent });
const context: ToolContext = {
  sessionId: "s-1" as SessionId, // a test's own ids
  turnId: "t-1" as TurnId,
  callId: "c-host" as CallId,
  origin: { channel: "cli", chat: "direct" },
  label: PLAIN,
  attended: true,
  workspace,
  signal: new AbortController().signal,
  clock,
  log: silent,
  progress: () => undefined,
};
if (what === "write") {
  const write = fileTools({ workspace, beforeWrite: undo.writing }).find(({ name }) => name === "write_file");
  await write?.execute({ path: "a.txt", content: "new a" } as never, context); // as the loop after validation
}
if (what === "command") {
  await undo.commandStarting(context);
  fs.writeFileSync(`${workspace}/a.txt.new`, "new\n");
  fs.renameSync(`${workspace}/a.txt.new`, `${workspace}/a.txt`);
  fs.rmSync(`${workspace}/d`, { recursive: true });
  await undo.commandEnded(context);
}
if (what === "undo") await undo.apply({ session: "s-1", turn: "t-1", id: "undo-host" });
