// L1 and L2 over histories of ordinary programs in the real sandbox. A model follows the data by file: after each program it is told
// whether that worked, and which inode every name leads to.
import fs from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../../src/machine/sandbox/create-sandbox.ts";
import { sha256 } from "../../src/machine/system/hash.ts";
import { SYSTEM_PATH } from "../machine/sandbox/support.ts";
import { createMachine } from "../builtin/machine.ts";
import { type LabelBench, labelBenchOn, STRANGE } from "./bench.ts";

/** Every 50th of the 10,000 that the laws ask for, in `npm run test:security`. */
const HISTORIES = process.env["MARGAY_SECURITY"] === "all" ? 200 : 80;
const SEED = Number(process.env["MARGAY_LAWS_SEED"] ?? 20_261_125);
const NAMES = ["a", "b", "c", "d/e", "d/f", "x"] as const;
type Name = (typeof NAMES)[number];

/** A program, and what of its input goes where. `all`: what `tar` packs. `inside`: it only unpacks. `prints`: it shows what it reads. */
interface Program {
  readonly line: (at: Name, to: Name) => string;
  readonly flow: "none" | "over" | "after" | "in place" | "all" | "unpack";
  readonly prints?: true;
}

const PROGRAMS = {
  cat: { line: (at) => `cat ${at}`, flow: "none", prints: true },
  head: { line: (at) => `head -c 20 < ${at}`, flow: "none", prints: true },
  hidden: { line: (at) => `cat ${at} && touch -a -d 2001-01-01 ${at}`, flow: "none", prints: true },
  touch: { line: (at) => `touch -a -d 2001-01-01 ${at}`, flow: "none" },
  stat: { line: (at) => `ls -l ${at} > /dev/null`, flow: "none" },
  rm: { line: (at) => `rm ${at}`, flow: "none" },
  mv: { line: (at, to) => `mv ${at} ${to}`, flow: "none" },
  ln: { line: (at, to) => `ln ${at} ${to}`, flow: "none" },
  symbolic: { line: (at, to) => `ln -s "$PWD/${at}" ${to}`, flow: "none" },
  cp: { line: (at, to) => `cp ${at} ${to}`, flow: "over" },
  tr: { line: (at, to) => `tr a-z A-Z < ${at} > ${to}`, flow: "over" },
  gzip: { line: (at, to) => `gzip -c ${at} > ${to}`, flow: "over" },
  gunzip: { line: (at, to) => `gzip -dc < ${at} > ${to}`, flow: "over" },
  base64: { line: (at, to) => `base64 ${at} > ${to}`, flow: "over" },
  decode: { line: (at, to) => `base64 -d ${at} > ${to}`, flow: "over" },
  paste: { line: (at, to) => `paste ${at} /dev/null > ${to}`, flow: "over" },
  append: { line: (at, to) => `cat ${at} >> ${to}`, flow: "after" },
  sed: { line: (at) => `sed -i s/q/qq/ ${at}`, flow: "in place" },
  tar: { line: (_, to) => `tar cf ${to} $(ls -d a b c d 2> /dev/null)`, flow: "all" },
  untar: { line: (at) => `tar xvf ${at} 2> /dev/null`, flow: "unpack" },
  own: { line: (at) => `date +%N > ${at}`, flow: "over" },
} as const satisfies Record<string, Program>;
type Doing = { readonly do: keyof typeof PROGRAMS; readonly at: Name; readonly to: Name };

type Step =
  | { readonly by: "page"; readonly at: Name; readonly size: "long" | "short" }
  | { readonly by: "command"; readonly doing: readonly Doing[] }
  | { readonly by: "person"; readonly do: "mv" | "rm" | "own"; readonly at: Name; readonly to: Name };

const name = fc.constantFrom<Name>("a", "b", "c", "d/e", "d/f");
const doing = fc
  .record({ do: fc.constantFrom(...(Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[])), at: name, to: name })
  .filter((one) => one.at !== one.to || ["in place", "none"].includes(PROGRAMS[one.do].flow));
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ by: fc.constant("page" as const), at: name, size: fc.constantFrom("long", "short") }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      by: fc.constant("command" as const),
      doing: fc.array(doing, { minLength: 1, maxLength: 5 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      by: fc.constant("person" as const),
      do: fc.constantFrom("mv", "rm", "own"),
      at: name,
      to: name,
    }),
  },
);
const history = fc.array(step, { minLength: 3, maxLength: 6 });

/** The inode every name leads to, and the one it is. What is empty holds nobody's data. */
type Seen = ReadonlyMap<Name, { readonly own: string; readonly behind: string; readonly empty: boolean }>;

/** After each program: a line of what it did, then the names. Neither reads a file. */
const TELL = `echo "== $?"; for n in ${NAMES.join(" ")}; do [ -e $n -o -L $n ] && echo "$n $(stat -c %i $n) $(stat -L -c "%i %s" $n 2> /dev/null)"; done; echo ==;`;

function parse(block: string): { readonly code: number; readonly seen: Seen } {
  const [code = "", ...lines] = block.trim().split("\n");
  const seen = new Map(
    lines.map((line) => {
      const [at = "", own = "", behind = "", size = ""] = line.split(" ");
      return [at as Name, { own, behind, empty: size === "0" }];
    }),
  );
  return { code: Number(code), seen };
}

function inodeBehind(path: string): string {
  try {
    return String(fs.statSync(path).ino);
  } catch {
    return ""; // a link to nowhere, or in a circle
  }
}

interface Told {
  readonly own: boolean;
  readonly tainted: boolean;
}

class World {
  readonly #bench: LabelBench;
  /** Inodes of files that hold a stranger's data. */
  #strange = new Set<string>();
  #texts = 0;

  constructor(bench: LabelBench) {
    this.#bench = bench;
  }

  async page(at: Name, size: "long" | "short"): Promise<void> {
    const text = this.#text(size);
    await this.#bench.call("write_file", { path: at, content: text }, STRANGE);
    this.#forget();
    this.#strange.add(this.#look().get(at)?.behind ?? "");
  }

  person({ do: what, at, to }: Extract<Step, { readonly by: "person" }>): void {
    const path = (one: Name): string => join(this.#bench.workspace, one);
    if (what === "own") fs.rmSync(path(at), { force: true });
    if (what === "own") fs.writeFileSync(path(at), `${this.#text("long")}`);
    else if (!fs.existsSync(path(at)) || at === to || fs.lstatSync(path(at)).isSymbolicLink()) return;
    else if (what === "rm") fs.rmSync(path(at));
    else fs.renameSync(path(at), path(to));
    this.#forget();
    if (what === "own") this.#strange.delete(this.#look().get(at)?.own ?? "");
  }

  async command(doings: readonly Doing[]): Promise<Told> {
    let seen = this.#look();
    let read = false;
    let handled = false;
    const labelled = (at: Name, of: Seen): boolean =>
      this.#bench.labels.byPath(at) || this.#strange.has(of.get(at)?.behind ?? "");
    const script = doings.map((one) => `${PROGRAMS[one.do].line(one.at, one.to)}; ${TELL}`).join("\n");
    const { text, untrusted } = await this.#bench.exec(script);
    const parts = text.split(/^== /m);
    for (const [index, one] of doings.entries()) {
      const after = parse((parts[index + 1] ?? "").split(/^==$/m)[0] ?? "");
      const program: Program = PROGRAMS[one.do];
      handled ||= one.do !== "stat" && (labelled(one.at, seen) || labelled(one.to, seen) || program.flow === "all");
      const source = this.#strange.has(seen.get(one.at)?.behind ?? "");
      if (program.prints === true && source) read = true;
      this.#follow(one, program, { source, before: seen, after: after.seen, printed: parts[index] ?? "" }, after.code);
      seen = after.seen;
    }
    if (read && !untrusted) throw new Error(`it printed a stranger's text, and is trusted: ${script}`);
    const lost = [...seen].filter(
      ([at, { own, behind }]) => own === behind && this.#strange.has(own) && !this.#bench.labels.byPath(at),
    );
    if (lost.length > 0) throw new Error(`${lost.map(([at]) => at).join(", ")} became trusted: ${script}`);
    return { own: !read && !handled, tainted: untrusted };
  }

  #follow(
    one: Doing,
    { flow }: Program,
    { source, before, after, printed }: { source: boolean; before: Seen; after: Seen; printed: string },
    code: number,
  ): void {
    const set = (at: Name, strange: boolean): void => {
      const inode = after.get(at)?.behind;
      if (inode === undefined || inode === "") return;
      if (strange) this.#strange.add(inode);
      else this.#strange.delete(inode);
    };
    const target = one.do === "own" ? one.at : one.to;
    const wasStrange = [...before.values()].some(
      ({ behind }) => behind === after.get(target)?.behind && this.#strange.has(behind),
    );
    if (flow === "over" && code === 0) set(target, one.do !== "own" && source);
    if (flow === "after" && code === 0) set(one.to, source || wasStrange);
    if (flow === "in place" && code === 0) set(one.at, source);
    if (flow === "all") {
      const some = ["a", "b", "c", "d/e", "d/f"].some((at) => this.#strange.has(before.get(at as Name)?.behind ?? ""));
      if (code === 0) set(one.to, some);
    }
    if (flow === "unpack" && source)
      for (const at of NAMES)
        if (printed.split("\n").includes(at) && before.get(at)?.own !== after.get(at)?.own) set(at, true);
    const alive = new Set(
      [...after.values()].filter(({ empty }) => !empty).flatMap(({ own, behind }) => [own, behind]),
    );
    this.#strange = new Set([...this.#strange].filter((inode) => alive.has(inode)));
  }

  #look(): Seen {
    const { workspace } = this.#bench;
    return new Map(
      NAMES.flatMap((at) => {
        const own = fs.lstatSync(join(workspace, at), { throwIfNoEntry: false });
        return own === undefined
          ? []
          : [[at, { own: String(own.ino), behind: inodeBehind(join(workspace, at)), empty: false }] as const];
      }),
    );
  }

  #forget(): void {
    const alive = new Set([...this.#look().values()].map(({ own }) => own));
    this.#strange = new Set([...this.#strange].filter((inode) => alive.has(inode)));
  }

  #text(size: "long" | "short"): string {
    this.#texts += 1;
    const text = [1, 2, 3].map((part) => sha256(`${this.#texts} ${part}`)).join(" ");
    return `${size === "long" ? text : text.slice(0, 12)}\n`;
  }
}

test(
  `L1 L2 programs in the real sandbox launder nothing, over ${HISTORIES} histories`,
  { timeout: 600_000 },
  async () => {
    const machine = createMachine();
    onTestFinished(() => machine[Symbol.dispose]());
    const { workspace, state } = machine;
    const sandbox = createSandbox({ mode: "required", workspace, state, searchPath: SYSTEM_PATH });
    let [histories, own, tainted] = [0, 0, 0];
    const property = fc.asyncProperty(history, async (steps) => {
      for (const entry of fs.readdirSync(workspace)) fs.rmSync(join(workspace, entry), { recursive: true });
      histories += 1;
      const place = { ...machine, state: join(state, String(histories)) };
      for (const directory of [place.state, join(workspace, "d")]) fs.mkdirSync(directory);
      const world = new World(labelBenchOn(place, { sandbox }));
      for (const one of steps)
        if (one.by === "page") await world.page(one.at, one.size);
        else if (one.by === "person") world.person(one);
        else {
          const told = await world.command(one.doing);
          own += Number(told.own);
          tainted += Number(told.own && told.tainted);
        }
    });
    const details = await fc.check(property, { numRuns: HISTORIES, seed: SEED });
    console.log(`seed ${details.seed}: ${tainted} of ${own} outputs of one's own were tainted`);
    expect(details.failed ? `${String(details.errorInstance)}\n${fc.defaultReportMessage(details)}` : "").toBe("");
    expect(own).toBeGreaterThan(HISTORIES / 2);
    expect(tainted / own).toBeLessThanOrEqual(0.05);
  },
);
