// BK2, BK3, BK4, BK5, BK9: a backup in a folder, made and read by the commands.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { hasCode } from "@margay/core";
import { expect, test } from "vitest";
import { checkStore } from "../../src/features/backup/check.ts";
import { derived, type Derive } from "../../src/features/backup/store/keys.ts";
import { openStore } from "../../src/features/backup/store/store.ts";
import { folderTarget } from "../../src/features/backup/store/target.ts";
import { margay, type Margay, type Ran, type RunOptions } from "../cli/harness.ts";
import { filesBelow, hashes, PROGRAM } from "./homes.ts";

const PASSPHRASE = "correct horse battery staple";
const PLANTED = "planted-words-7f3a91c2";
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
const CHANGES = Number(process.env["MARGAY_BACKUP_CHANGES"] ?? 40);
const KILLS = Number(process.env["MARGAY_BACKUP_KILLS"] ?? 10);
/** Each so many changes are also looked for by the command itself. */
const COMMANDS_EVERY = 20;
/** From so many on the run says how far it is. */
const LONG_RUN = 50;
/** Longer than a run takes: the last kills come too late. */
const RUN_MS = 2500;

type App = Margay & { readonly target: string; secretly(argv: readonly string[], more?: RunOptions): Promise<Ran> };

async function used(): Promise<App> {
  const app = margay();
  expect((await app.run(["agent", "-m", `remember that ${PLANTED} is mine`])).code).toBe(0);
  await app.run(["cron", "add", "--message", PLANTED, "--every", "1h", "--to", "cli:direct"]);
  await app.run(["secrets", "set", "KEPT"], { stdin: `secret-${PLANTED}` });
  writeFileSync(join(app.home, "workspace/notes.txt"), `${PLANTED}\n`);
  const secretly = (argv: readonly string[], more: RunOptions = {}): Promise<Ran> =>
    app.run(argv, { stdin: `${PASSPHRASE}\n`, ...more });
  return { ...app, target: join(app.directory, "target"), secretly };
}

test("a temporary conversation is in no backup, and what another one names too is", async () => {
  const app = await used();
  const said = "zanzibar-51b0e9d4";
  writeFileSync(join(app.directory, "one.png"), PIXEL);
  writeFileSync(join(app.directory, "two.png"), Buffer.concat([PIXEL, Buffer.from("two")]));
  const ask = (session: string, ...more: readonly string[]): Promise<Ran> =>
    app.run(["agent", "-m", `about ${said}`, "--session", session, ...more]);
  expect((await ask("temporary:draft", "--image", join(app.directory, "one.png"))).code).toBe(0);
  expect((await ask("temporary:draft", "--image", join(app.directory, "two.png"))).code).toBe(0);
  await app.run(["agent", "-m", "what is this?", "--session", "cli:kept", "--image", join(app.directory, "one.png")]);
  expect(filesBelow(join(app.home, "blobs"))).toHaveLength(2);
  expect(await app.secretly(["backup", app.target])).toMatchObject({ code: 0 });
  const to = join(app.directory, "restored");
  expect((await app.secretly(["restore", app.target, "--to", to])).code).toBe(0);
  expect(filesBelow(to).filter((path) => readFileSync(join(to, path)).includes(said))).toEqual([]);
  expect(filesBelow(to).filter((path) => path.includes("temporary"))).toEqual([]);
  expect(filesBelow(join(to, "blobs"))).toHaveLength(1);
  expect((await app.run(["sessions", "show", "cli:kept"], { env: { MARGAY_HOME: to } })).out).toContain(
    "what is this?",
  );
});

test("BK5 a home restored on an empty machine is the same by hash, and its audit log and vault are whole", async () => {
  const app = await used();
  expect(await app.secretly(["backup", app.target])).toMatchObject({ code: 0 });
  const wanted = hashes(app.home);
  const to = join(app.directory, "restored");
  expect((await app.secretly(["restore", app.target, "--to", to])).code).toBe(0);
  expect(hashes(to)).toEqual(wanted);
  const env = { MARGAY_HOME: to };
  const heads = await Promise.all([app.run(["audit", "head"]), app.run(["audit", "head"], { env })]);
  expect(heads[1].out).toBe(heads[0].out);
  expect(await app.run(["audit", "verify"], { env })).toMatchObject({ code: 0 });
  expect(await app.run(["secrets", "check"], { env })).toMatchObject({ code: 0 });
  const shown = await app.run(["sessions", "show", "cli:direct"], { env });
  expect(shown.out).toContain(PLANTED);

  const again = await app.secretly(["restore", app.target, "--to", to]);
  expect(again.code).toBe(2);
  expect(hashes(to)).toMatchObject(wanted);
});

test("BK5 BK9 without the passphrase nothing is read, and nothing of the content stands in the target", async () => {
  const app = await used();
  await app.secretly(["backup", app.target]);
  const to = join(app.directory, "restored");
  const refused = await app.run(["restore", app.target, "--to", to], { stdin: "another passphrase" });
  expect(refused.code).toBe(1);
  expect(refused.err).not.toContain("internal.bug");
  expect(readdirSync(app.directory)).not.toContain("restored");
  const names = filesBelow(app.target);
  const all = Buffer.concat(names.map((name) => readFileSync(join(app.target, name)))).toString("latin1");
  for (const word of [PLANTED, PASSPHRASE, "cli-direct", "MEMORY.md"]) {
    expect(all).not.toContain(word);
    expect(names.join("\n")).not.toContain(word);
  }
});

test("BK2 an unchanged home costs its manifest, a longer file of 9 MiB at most 3 MiB more", async () => {
  const app = await used();
  writeFileSync(join(app.home, "workspace/large.bin"), randomBytes(9 * 1024 * 1024));
  await app.secretly(["backup", app.target]);
  const size = (): number =>
    filesBelow(app.target).reduce((sum, name) => sum + lstatSync(join(app.target, name)).size, 0);
  const first = size();
  expect((await app.secretly(["backup", app.target, "--json"])).lines.at(-1)).toMatchObject({ added: 0 });
  expect(size() - first).toBeLessThan(4096);
  const second = size();
  appendFileSync(join(app.home, "workspace/large.bin"), "one line more\n");
  await app.secretly(["backup", app.target]);
  expect(size() - second).toBeLessThan(3 * 1024 * 1024);
  expect((await app.secretly(["backup", "list", app.target, "--json"])).lines[0]).toMatchObject({
    items: [{}, {}, {}],
  });
});

test("BK4 flipped, cut, swapped and missing files of the target are found", { timeout: 1_800_000 }, async () => {
  const app = await used();
  await app.secretly(["backup", app.target]);
  writeFileSync(join(app.home, "workspace/later.txt"), "later");
  await app.secretly(["backup", app.target]);
  expect(await app.secretly(["backup", "check", app.target])).toMatchObject({ code: 0 });
  const names = filesBelow(app.target);
  const other = join(app.directory, "changed");
  cpSync(app.target, other, { recursive: true });
  const derive = remembering();
  const { signal } = new AbortController();
  const missed: string[] = [];
  const all = CHANGES + 3 * names.length;
  for (let change = 0; change < all; change++) {
    const { what, name } = changed(other, names, change);
    const found = await openStore(folderTarget(other), PASSPHRASE, { derive })
      .then((store) => checkStore(store, signal))
      .then(({ flaws, lost }) => flaws.length + lost.length > 0)
      .catch((error: unknown) => hasCode(error, "backup.damaged", "backup.missing"));
    const said = change % COMMANDS_EVERY === 0 ? await app.secretly(["backup", "check", other]) : undefined;
    if (!found || said?.code === 0 || said?.err.includes("internal.bug") === true) missed.push(what);
    cpSync(join(app.target, name), join(other, name));
    progress("changes", change + 1, all);
  }
  expect(missed).toEqual([]);
  expect(await app.secretly(["backup", "check", other])).toMatchObject({ code: 0 });
});

/** The key of a passphrase is the slow part, and the same for nearly all of them. */
function remembering(): Derive {
  const known = new Map<string, Promise<Buffer>>();
  return (passphrase, salt) => {
    const key = known.get(salt) ?? derived(passphrase, salt);
    known.set(salt, key);
    return key;
  };
}

/** Of a long run: how far it is, and how long the rest will take. */
function progress(what: string, done: number, all: number): void {
  const every = Math.ceil(all / 10);
  if (all < LONG_RUN || done % every !== 0) return;
  const seconds = Math.round(process.uptime());
  process.stderr.write(`${what}: ${String(done)} of ${String(all)}, ${String(seconds)} s since the start\n`);
}

/** Bytes of each file in turn; then each file is gone, cut, and another one in its place. */
function changed(folder: string, names: readonly string[], number: number) {
  const name = names[number % names.length] ?? "";
  const path = join(folder, name);
  const bytes = readFileSync(path);
  const kind = number < CHANGES ? 0 : 1 + (Math.floor((number - CHANGES) / names.length) % 3);
  const at = Math.floor((bytes.length * ((number * 7919) % 997)) / 997);
  if (kind === 0) bytes[at] = (bytes[at] ?? 0) ^ (1 << (number % 8));
  if (kind === 1) rmSync(path);
  else if (kind === 2) writeFileSync(path, bytes.subarray(0, at));
  else if (kind === 3) writeFileSync(path, readFileSync(join(folder, otherThan(folder, names, name))));
  else writeFileSync(path, bytes);
  return { name, what: `${String(kind)} of ${name} at ${String(at)}` };
}

/** One with another content: both key files have the same. */
function otherThan(folder: string, names: readonly string[], name: string): string {
  const own = readFileSync(join(folder, name));
  return names.find((one) => !readFileSync(join(folder, one)).equals(own)) ?? "";
}

test("BK4 a pack with other bytes: check names it, and nothing is restored", async () => {
  const app = await used();
  await app.secretly(["backup", app.target]);
  const [pack = ""] = readdirSync(join(app.target, "packs"));
  writeFileSync(join(app.target, "packs", pack), randomBytes(200_000));
  const found = await app.secretly(["backup", "check", app.target]);
  expect(found).toMatchObject({ code: 1 });
  expect(found.out).toContain(pack);
  const to = join(app.directory, "restored");
  const refused = await app.secretly(["restore", app.target, "--to", to]);
  expect(refused.code).toBe(1);
  expect(readdirSync(app.directory).filter((name) => name.startsWith("restored"))).toEqual([]);
});

test(
  "BK3 killed at different times the last snapshot stands and the next run goes on",
  { timeout: 1_800_000 },
  async () => {
    const app = await used();
    await app.secretly(["backup", app.target]);
    mkdirSync(join(app.home, "workspace/more"));
    for (let file = 0; file < 5; file++)
      writeFileSync(join(app.home, `workspace/more/${String(file)}`), randomBytes(8 * 1024 * 1024));
    const passphrase = join(app.directory, "passphrase");
    writeFileSync(passphrase, PASSPHRASE);
    for (let kill = 1; kill <= KILLS; kill++) {
      const child = spawn(
        process.execPath,
        ["--conditions=margay-source", PROGRAM, "backup", app.target, "--passphrase-file", passphrase],
        { env: { ...process.env, MARGAY_HOME: app.home }, stdio: "ignore" },
      );
      const done = AbortSignal.timeout(Math.ceil((kill * RUN_MS) / KILLS));
      done.addEventListener("abort", () => child.kill("SIGKILL"), { once: true });
      await new Promise((resolve) => child.once("close", resolve));
      expect(await app.secretly(["backup", "check", app.target])).toMatchObject({ code: 0 });
      progress("kills", kill, KILLS);
    }
    expect(await app.secretly(["backup", app.target])).toMatchObject({ code: 0 });
    const to = join(app.directory, "restored");
    expect(await app.secretly(["restore", app.target, "--to", to])).toMatchObject({ code: 0 });
    expect(hashes(to)).toEqual(hashes(app.home));
  },
);
