// BK2, BK3, BK4, BK5, BK9: a backup in a folder, made and read by the commands.
import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
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
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { margay, type Margay, type Ran, type RunOptions } from "../cli/harness.ts";

const PASSPHRASE = "correct horse battery staple";
const PLANTED = "planted-words-7f3a91c2";
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
/** Each opens the backup anew, which the key makes slow. */
const CHANGES = Number(process.env["MARGAY_BACKUP_CHANGES"] ?? 40);
const KILLS = Number(process.env["MARGAY_BACKUP_KILLS"] ?? 10);
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

/** Without what is made anew at every start. */
function hashes(home: string): Readonly<Record<string, string>> {
  const paths = filesBelow(home).filter(
    (path) => !/^(?:lock|control|margay\.log|index\/|backup\/)|\.cache$/.test(path),
  );
  return Object.fromEntries(
    paths.map((path) => [
      path,
      createHash("sha256")
        .update(readFileSync(join(home, path)))
        .digest("hex"),
    ]),
  );
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => lstatSync(join(folder, path)).isFile())
    .toSorted();
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
  const missed: string[] = [];
  for (let change = 0; change < CHANGES; change++) {
    rmSync(other, { recursive: true, force: true });
    cpSync(app.target, other, { recursive: true });
    const what = changed(other, names, change);
    const { code, err } = await app.secretly(["backup", "check", other]);
    if (code !== 1 || err.includes("internal.bug")) missed.push(what);
  }
  expect(missed).toEqual([]);
});

/** Each file of the target in turn, each kind of change in turn. */
function changed(folder: string, names: readonly string[], number: number): string {
  const name = names[number % names.length] ?? "";
  const path = join(folder, name);
  const bytes = readFileSync(path);
  const kind = Math.floor(number / names.length) % 4;
  const at = Math.floor((bytes.length * ((number * 7919) % 997)) / 997);
  if (kind === 0) bytes[at] = (bytes[at] ?? 0) ^ (1 << (number % 8));
  if (kind === 1) rmSync(path);
  else if (kind === 2) writeFileSync(path, bytes.subarray(0, at));
  else if (kind === 3) writeFileSync(path, readFileSync(join(folder, otherThan(folder, names, name))));
  else writeFileSync(path, bytes);
  return `${String(kind)} of ${name} at ${String(at)}`;
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
    const program = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
    for (let kill = 1; kill <= KILLS; kill++) {
      const child = spawn(
        process.execPath,
        ["--conditions=margay-source", program, "backup", app.target, "--passphrase-file", passphrase],
        { env: { ...process.env, MARGAY_HOME: app.home }, stdio: "ignore" },
      );
      const done = AbortSignal.timeout(Math.ceil((kill * RUN_MS) / KILLS));
      done.addEventListener("abort", () => child.kill("SIGKILL"), { once: true });
      await new Promise((resolve) => child.once("close", resolve));
      expect(await app.secretly(["backup", "check", app.target])).toMatchObject({ code: 0 });
    }
    expect(await app.secretly(["backup", app.target])).toMatchObject({ code: 0 });
    const to = join(app.directory, "restored");
    expect(await app.secretly(["restore", app.target, "--to", to])).toMatchObject({ code: 0 });
    expect(hashes(to)).toEqual(hashes(app.home));
  },
);
