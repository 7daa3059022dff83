// Test files, again and again with something else in the program each time: one vitest for all runs transforms what they have in
// common once. Each run has a fresh process for its tests.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

import { node24, root, toolEnvironment } from "./toolchain.mjs";

const CHILD = fileURLToPath(new URL("./tests-child.mjs", import.meta.url));

/**
 * @param cwd The checkout, or a copy of it.
 * @returns `run(files, { only, off, limit })`, one at a time. It ends at the first test that fails. `only`: the test of that full name. `off`: in what the tests import, `file`
 * has `replace` in place of `find`; the file itself stays as it is. `limit`: milliseconds after which all that runs is killed.
 */
export function openTests(cwd = root) {
  let kept;
  return {
    run: async (files, { only, off, limit } = {}) => {
      kept ??= start(cwd);
      const { child, answer } = await kept;
      let hung = false;
      const kill = () => {
        hung = true;
        process.kill(-child.pid, "SIGKILL");
      };
      const timer = limit === undefined ? undefined : setTimeout(kill, limit);
      const answered = answer();
      child.send({ files, only, off });
      try {
        return { hung, ...(await answered) };
      } catch (error) {
        kept = undefined;
        return { hung, results: [], errors: [error.message] };
      } finally {
        clearTimeout(timer);
      }
    },
    end: async () => {
      const { child } = (await kept) ?? {};
      child?.disconnect();
    },
  };
}

async function start(cwd) {
  const child = fork(CHILD, [], {
    cwd,
    env: toolEnvironment({ CI: "1" }),
    execPath: node24(),
    execArgv: [],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    detached: true, // with a group of its own, which is ended as a whole
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => (output = `${output}${text}`.slice(-2000)));
  const answer = () =>
    new Promise((resolve, reject) => {
      const ended = (code, signal) => reject(new Error(`vitest ended with ${signal ?? `code ${code}`}.\n${output}`));
      child.once("exit", ended);
      child.once("message", (message) => {
        child.off("exit", ended);
        resolve(message);
      });
    });
  await answer();
  return { child, answer };
}
