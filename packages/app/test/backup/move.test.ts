// BK7: a home that was moved answers in one place, whatever was interrupted, and comes back only where nothing newer is.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { margay, type Margay, type Ran, type RunOptions } from "../cli/harness.ts";
import { hashes, killedAtRename, needed } from "./homes.ts";

const PASSPHRASE = "correct horse battery staple";
const TOLD = "the boiler is serviced in May";

type App = Margay & {
  readonly to: string;
  at(home: string, ...argv: string[]): Promise<Ran>;
  readonly secret: RunOptions;
};

async function used(): Promise<App> {
  const app = margay();
  expect((await app.run(["agent", "-m", `remember that ${TOLD}`])).code).toBe(0);
  expect((await app.run(["agent", "-m", "a draft", "--session", "temporary:draft"])).code).toBe(0);
  await app.run(["cron", "add", "--message", TOLD, "--every", "1h", "--to", "cli:direct"]);
  const at = (home: string, ...argv: string[]): Promise<Ran> => app.run(argv, { env: { MARGAY_HOME: home } });
  return { ...app, to: join(app.directory, "new"), at, secret: { stdin: `${PASSPHRASE}\n` } };
}

async function answers(app: App, home: string): Promise<boolean> {
  const said = await app.at(home, "agent", "-m", "are you there?");
  if (said.code === 0) return true;
  needed(said, 78, "[state.moved]");
  return false;
}

test("BK7 a moved home is the same by hash and answers; the old one refuses at every door and says where it went", async () => {
  const app = await used();
  const before = hashes(app.home);
  const moved = await app.run(["move", app.to]);
  expect(moved).toMatchObject({ code: 0 });
  expect(moved.out).toContain(app.to);
  const { "audit/head.json": _head, ...rest } = before;
  expect(hashes(app.to)).toEqual(before);
  expect(Object.keys(hashes(app.home))).toEqual(expect.arrayContaining(Object.keys(rest)));
  for (const words of [
    ["agent", "-m", "hello"],
    ["gateway", "--port", "0"],
    ["--plain"],
    ["cron", "add", "--message", "hello", "--every", "1h", "--to", "cli:direct"],
    ["backup", join(app.directory, "target")],
  ]) {
    const { code, err } = await app.run(words, app.secret);
    expect({ words, code, says: err.includes(app.to) }).toEqual({ words, code: 78, says: true });
  }
  const doctor = await app.run(["doctor"]);
  expect(doctor).toMatchObject({ code: 1 });
  expect(doctor.out).toContain(app.to);
  expect((await app.run(["audit", "list", "--json", "--limit", "1"])).lines[0]).toMatchObject({ name: "home.moved" });
  expect(await answers(app, app.to)).toBe(true);
  expect((await app.at(app.to, "sessions", "show", "cli:direct")).out).toContain(TOLD);
  expect(await app.at(app.to, "audit", "verify")).toMatchObject({ code: 0 });
  expect((await app.at(app.to, "cron", "list")).out).toContain(TOLD);
});

test("BK7 it is taken back as long as the new home was not started; what is newer is not thrown away unsaid", async () => {
  const app = await used();
  expect(await app.run(["move", app.to])).toMatchObject({ code: 0 });
  expect(await app.run(["move", "--take-back"])).toMatchObject({ code: 0 });
  expect(await answers(app, app.to)).toBe(false);
  expect(await answers(app, app.home)).toBe(true);
  expect(await app.run(["move", "--take-back"])).toMatchObject({ code: 2 });

  expect(await app.run(["move", app.to])).toMatchObject({ code: 0 });
  expect(await answers(app, app.to)).toBe(true);
  const refused = await app.run(["move", "--take-back"]);
  expect(refused).toMatchObject({ code: 78 });
  expect(refused.err).toContain("newer");
  expect(await answers(app, app.home)).toBe(false);
  expect(await app.run(["move", join(app.directory, "third")])).toMatchObject({ code: 78 });
  expect(await app.run(["move", "--take-back", "--lost"])).toMatchObject({ code: 0 });
  expect([await answers(app, app.home), await answers(app, app.to)]).toEqual([true, false]);

  expect(await app.run(["move", join(app.directory, "third")])).toMatchObject({ code: 0 });
  rmSync(join(app.directory, "third"), { recursive: true });
  expect(await app.run(["move", "--take-back"])).toMatchObject({ code: 78 });
  expect(await app.run(["move", "--take-back", "--lost"])).toMatchObject({ code: 0 });
  expect(await answers(app, app.home)).toBe(true);
});

test("BK7 a workspace elsewhere stays where it is, and nothing goes where something is", async () => {
  const app = margay();
  const files = join(app.directory, "files");
  app.configure({ workspace: "../files" });
  mkdirSync(files);
  writeFileSync(join(files, "notes.txt"), "mine\n");
  const to = join(app.directory, "deep/new");
  mkdirSync(to, { recursive: true });
  writeFileSync(join(to, "other"), "");
  for (const place of [to, join(app.home, "inside"), join(files, "inside"), app.directory])
    expect({ place, code: (await app.run(["move", place])).code }).toEqual({ place, code: 2 });
  rmSync(join(to, "other"));
  expect(await app.run(["move", to])).toMatchObject({ code: 0 });
  expect(readFileSync(join(to, "config.json"), "utf8")).toContain(files);
  expect(existsSync(join(to, "workspace"))).toBe(false);
  expect(readFileSync(join(files, "notes.txt"), "utf8")).toBe("mine\n");
});

test(
  "BK7 killed at every rename of the move, one of the two homes answers, and the same command finishes it",
  { timeout: 300_000 },
  async () => {
    const app = await used();
    const seen: string[] = [];
    // What comes before is made in the folder between: of that two are enough.
    for (const rename of [1, 5, ...Array.from({ length: 20 }, (_, index) => 8 + index)]) {
      const { code, said } = await killedAtRename(rename, app.home, ["move", app.to]);
      if (code === 0) break;
      expect({ rename, said }).toEqual({ rename, said: "" });
      const fenced = existsSync(join(app.home, "moved.json"));
      // Only looked at: a start would make it newer.
      const old = await app.run(["doctor", "--json"]);
      const isOldHere = !old.out.includes('"moved"');
      const fresh = existsSync(app.to) ? (await app.at(app.to, "doctor", "--json")).out : '"moved"';
      expect({ rename, answering: [isOldHere, !fresh.includes('"moved"')] }).toEqual({
        rename,
        answering: [!fenced, fenced],
      });
      seen.push(`${fenced ? "new" : "old"} ${existsSync(app.to) ? "placed" : "not placed"}`);
      const refusing = fenced ? app.home : app.to;
      expect(existsSync(refusing) && (await answers(app, refusing))).toBe(false);
      if (fenced)
        for (const words of [
          ["move", app.to],
          ["move", "--take-back"],
        ])
          needed(await app.run(words));
    }
    expect(new Set(seen)).toEqual(new Set(["old not placed", "old placed", "new placed"]));
    expect([await answers(app, app.home), await answers(app, app.to)]).toEqual([false, true]);
    expect(await app.at(app.to, "audit", "verify")).toMatchObject({ code: 0 });
  },
);

test("BK7 an exported home becomes one home: claimed by whoever restores it, or by the old one that is taken back", async () => {
  const app = await used();
  const target = join(app.directory, "stick");
  const [first, second] = [join(app.directory, "first"), join(app.directory, "second")];
  const run = (...argv: string[]): Promise<Ran> => app.run(argv, app.secret);
  expect(await run("move", "--export", target)).toMatchObject({ code: 0 });
  expect((await app.run(["agent", "-m", "hello"])).err).toContain(target);
  expect(await run("backup", "drill", target)).toMatchObject({ code: 0 });
  expect(await run("move", "--take-back")).toMatchObject({ code: 0 });
  const taken = await run("restore", target, "--to", first);
  expect(taken.err).toContain(app.home);
  expect(existsSync(first)).toBe(false);
  expect(await answers(app, app.home)).toBe(true);

  expect(await run("move", "--export", target)).toMatchObject({ code: 0 });
  expect(await run("restore", target, "--to", first)).toMatchObject({ code: 0 });
  expect((await run("restore", target, "--to", second)).err).toContain(first);
  expect((await run("move", "--take-back")).err).toContain(first);
  expect([await answers(app, app.home), await answers(app, first)]).toEqual([false, true]);
  expect(await run("restore", target, "--to", second, "--lost")).toMatchObject({ code: 0 });
  expect(await run("move", "--take-back", "--lost")).toMatchObject({ code: 0 });
});

test(
  "BK7 an export that was killed: never two homes answer, and the same command finishes it",
  { timeout: 300_000 },
  async () => {
    const app = await used();
    const target = join(app.directory, "stick");
    const passphrase = join(app.directory, "passphrase");
    writeFileSync(passphrase, PASSPHRASE, { mode: 0o600 });
    const words = ["--passphrase-file", passphrase];
    expect(await app.run(["backup", target, ...words])).toMatchObject({ code: 0 });
    const seen: string[] = [];
    for (let rename = 3; ; rename++) {
      writeFileSync(join(app.home, "workspace/new.bin"), String(rename)); // of a pack that is there nothing is written again
      const { code } = await killedAtRename(rename, app.home, ["move", "--export", target, ...words]);
      if (code === 0) break;
      const to = join(app.directory, `at-${String(rename)}`);
      const fenced = existsSync(join(app.home, "moved.json"));
      const restored = await app.run(["backup", "list", target, ...words, "--json"]);
      const [newest] = (restored.lines[0]?.["items"] ?? []) as readonly {
        readonly name: string;
        readonly move?: string;
      }[];
      const made = await app.run(["restore", target, "--to", to, ...words]);
      const isMoved = newest?.move !== undefined;
      expect({ rename, twoAnswer: isMoved && made.code === 0 && !fenced }).toEqual({ rename, twoAnswer: false });
      seen.push(`${fenced ? "fenced" : "open"} ${made.code === 0 ? (isMoved ? "moved" : "older") : "refused"}`);
      if (fenced && made.code !== 0) {
        needed(made, 2, "move --export");
        needed(await app.run(["move", "--export", target, ...words]));
        needed(await app.run(["restore", target, "--to", to, ...words]));
      }
      if (fenced) needed(await app.run(["move", "--take-back", "--lost", ...words]));
      rmSync(to, { recursive: true, force: true });
    }
    expect(seen).toEqual(expect.arrayContaining(["open older", "open refused", "fenced refused"]));
  },
);
