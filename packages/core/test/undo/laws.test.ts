// Random trees and random turns: what was there before a turn is there after its undo, and what it left after the next one.
import fs from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { treeOf, undoBench } from "./support.ts";

const name = fc.constantFrom("a", "b", "c d", "ü文", ".h", "e'f", "-g");
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));
const step = fc.oneof(
  fc.record({ do: fc.constant("write" as const), path, text: fc.string({ maxLength: 40 }) }),
  fc.record({ do: fc.constant("tool" as const), path, text: fc.string({ maxLength: 40 }) }),
  fc.record({ do: fc.constant("remove" as const), path }),
  fc.record({ do: fc.constant("move" as const), path, to: path }),
  fc.record({ do: fc.constant("mode" as const), path, mode: fc.constantFrom("600", "640", "755", "444") }),
  fc.record({ do: fc.constant("link" as const), path, to: path }),
  fc.record({ do: fc.constant("hard" as const), path, to: path }),
  fc.record({ do: fc.constant("directory" as const), path }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function quote(text: string): string {
  return `'./${text.replaceAll("'", `'\\''`)}'`;
}

/** Each may fail, as commands do. */
function shell(one: Exclude<Step, { do: "tool" }>): string {
  const at = quote(one.path);
  switch (one.do) {
    case "write":
      return `mkdir -p "$(dirname ${at})"; printf %s '${Buffer.from(one.text).toString("base64")}' | base64 -d > ${at}`;
    case "remove":
      return `rm -rf ${at}`;
    case "move":
      return `mv ${at} ${quote(one.to)}`;
    case "mode":
      return `[ -d ${at} ] && chmod 7${one.mode.slice(1)} ${at} || chmod ${one.mode} ${at}`;
    case "link":
      return `ln -s ${quote(one.to)} ${at}`;
    case "hard":
      return `ln ${at} ${quote(one.to)}`;
    case "directory":
      return `mkdir -p ${at}`;
  }
}

function namesOfLinked(workspace: string): readonly string[] {
  return fs.readdirSync(workspace, { recursive: true, encoding: "utf8" }).filter((name) => {
    const stats = fs.lstatSync(join(workspace, name));
    return stats.isFile() && stats.nlink > 1;
  });
}

test(
  "S4 undo of a turn is the state before it, and undo of the undo the state after it",
  { timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 8 }),
        fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
        async (setup, turns) => {
          const bench = undoBench();
          const run = async (turn: string, steps: readonly Step[]): Promise<void> => {
            for (const one of steps) {
              if (one.do === "tool") await bench.write(turn, one.path, one.text);
              else await bench.exec(turn, shell(one));
            }
          };
          await run("s-0/t-0", setup);
          const states = [bench.tree()];
          let linked: readonly string[] = [];
          for (const [index, steps] of turns.entries()) {
            await run(`s-1/t-${index + 1}`, steps);
            states.push(bench.tree());
            if (index === 0) linked = namesOfLinked(bench.workspace);
          }
          // Of a turn whose every write was refused nothing is known, and nothing has to be.
          const answers = (turn: string, changed: boolean): readonly unknown[] =>
            changed ? [{}] : [{}, { [turn]: "undefined" }];
          const changed = (turn: number): boolean => !isDeepStrictEqual(states[turn], states[turn - 1]);
          for (let turn = turns.length; turn >= 1; turn -= 1) {
            const problems = await bench.undoTurn(`s-1/t-${turn}`, `undo-${turn}`);
            expect(answers(`s-1/t-${turn}`, changed(turn))).toContainEqual(problems);
            expect(bench.tree()).toEqual(states[turn - 1]);
          }
          // What has several names is copied by nobody: one of them may lie outside. The undo says so.
          const lost = Object.entries(await bench.undoTurn("s-1/undo-1", "redo-1"));
          const told = lost.filter(([name, why]) => !(why === "linked" && linked.includes(name)));
          expect(answers("s-1/undo-1", changed(1))).toContainEqual(Object.fromEntries(told));
          expect(linked.length > 0 ? states[1] : bench.tree()).toEqual(states[1]);
          fs.rmSync(join(bench.workspace, ".."), { recursive: true, force: true });
        },
      ),
      { numRuns: 12 },
    );
  },
);

test("S4 the tree that is compared knows modes, links and empty directories", () => {
  const { workspace, put } = undoBench();
  put("a", "x", 0o600);
  fs.mkdirSync(join(workspace, "d"));
  expect(Object.keys(treeOf(workspace))).toEqual(["a", "d"]);
});
