// The vault and the keyring: what is kept is found again, and what is wrong is told apart (R282, R314).
import { openFileDocs } from "@margay/core/internal";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { createHmac, hkdfSync, scryptSync } from "node:crypto";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { hasCode } from "@margay/core";
import { expect, onTestFinished, test } from "vitest";
import { openKeyring } from "../../src/config/secrets/keyring.ts";
import { openVault } from "../../src/config/secrets/vault.ts";
import type { KeyPlace } from "../../src/config/secrets/vault-key.ts";
import { translator } from "../../src/texts/translate.ts";
import { margay } from "../cli/harness.ts";

const SECRET = "Pl4nted/vault+value=1";

function place(more: Partial<KeyPlace> = {}): KeyPlace {
  const home = mkdtempSync(join(tmpdir(), "margay-vault-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return { home, docs: openFileDocs(more.home ?? home), env: {}, t: translator("en"), ...more };
}

function codeOf(work: () => unknown): string {
  try {
    work();
    return "nothing was thrown";
  } catch (error) {
    for (const code of ["vault.locked", "vault.wrong-key", "vault.damaged", "vault.shared", "keyring.failed"] as const)
      if (hasCode(error, code)) return code;
    throw error;
  }
}

test("R282 a value in the vault is found again and stands in no file; a new version replaces it", async () => {
  const at = place();
  await openVault(at).set("OPENAI", SECRET, "file", 1);
  await openVault(at).set("OTHER", "another-value", "file", 2);
  await openVault(at).set("OPENAI", `${SECRET}2`, "file", 3);
  expect(openVault(at).get("OPENAI")).toBe(`${SECRET}2`);
  expect(openVault(at).get("NONE")).toBeUndefined();
  expect(openVault(at).list()).toEqual([
    { name: "OPENAI", updatedAt: 3 },
    { name: "OTHER", updatedAt: 2 },
  ]);
  const files = readdirSync(at.home, { recursive: true, encoding: "utf8" }).filter(
    (name) => !statSync(join(at.home, name)).isDirectory(),
  );
  for (const name of files) {
    const bytes = readFileSync(join(at.home, name), "utf8");
    for (const form of [SECRET, Buffer.from(SECRET).toString("base64"), Buffer.from(SECRET).toString("hex")])
      expect(bytes).not.toContain(form);
    expect(statSync(join(at.home, name)).mode & 0o077).toBe(0);
  }
  expect(await openVault(at).remove("OTHER")).toBe(true);
  expect(await openVault(at).remove("OTHER")).toBe(false);
});

test("R282 every changed byte of the vault is noticed, and told from another key and from absence", async () => {
  const at = place();
  await openVault(at).set("A", SECRET, "file", 1);
  await openVault(at).set("B", "second-value", "file", 1);
  const path = join(at.home, "vault.json");
  const text = readFileSync(path, "utf8");
  const file = JSON.parse(text) as { entries: Record<string, Record<string, unknown>>; key: { id: string } };
  const write = (change: (copy: typeof file) => void): void => {
    const copy = structuredClone(file);
    change(copy);
    writeFileSync(path, JSON.stringify(copy), { mode: 0o600 });
  };
  const changes: readonly ((copy: typeof file) => void)[] = [
    ({ entries }) => delete entries["B"],
    ({ entries }) => ([entries["A"], entries["B"]] = [entries["B"] ?? {}, entries["A"] ?? {}]),
    ({ entries }) => (entries["C"] = entries["A"] ?? {}),
    ({ entries }) => (entries["A"] = { ...entries["A"], version: 7 }),
    ({ entries }) => (entries["A"] = { ...entries["A"], data: Buffer.from("x").toString("base64") }),
    ({ entries }) => (entries["A"] = { ...entries["A"], nonce: Buffer.alloc(12).toString("base64") }),
  ];
  for (const change of changes) {
    write(change);
    expect(codeOf(() => openVault(at).get("A"))).toBe("vault.damaged");
  }
  writeFileSync(path, text.slice(0, -20), { mode: 0o600 });
  expect(codeOf(() => openVault(at).get("A"))).toBe("vault.damaged");
  writeFileSync(path, text, { mode: 0o600 });
  expect(openVault(at).get("A")).toBe(SECRET);
  const keyFile = join(at.home, "secrets", `vault-${file.key.id}.key`);
  const key = readFileSync(keyFile);
  writeFileSync(keyFile, Buffer.alloc(32, 7).toString("base64"));
  expect(codeOf(() => openVault(at).get("A"))).toBe("vault.wrong-key");
  rmSync(keyFile);
  expect(codeOf(() => openVault(at).get("A"))).toBe("vault.locked");
  writeFileSync(keyFile, key, { mode: 0o600 });
  expect(openVault(at).get("missing")).toBeUndefined();
});

interface VaultFile {
  readonly entries: Record<string, { version: number; updatedAt: number; nonce: string; tag: string; data: string }>;
  readonly key: { readonly id: string; readonly salt?: string };
  readonly seal: string;
}

function vaultIn(home: string): VaultFile {
  return JSON.parse(readFileSync(join(home, "vault.json"), "utf8")) as VaultFile; // written by us
}

/** What stands over the list of entries. */
function sealOf(entries: VaultFile["entries"], key: Buffer): string {
  const rows = Object.entries(entries).map(([name, one]) => [name, one.version, one.updatedAt, one.nonce, one.tag]);
  const part = Buffer.from(hkdfSync("sha256", key, "", "margay vault list", 32));
  return createHmac("sha256", part).update(JSON.stringify(rows)).digest("base64");
}

test("R282 an entry under another name or version does not open, even when the seal over the list fits", async () => {
  const at = place();
  await openVault(at).set("A", SECRET, "file", 1);
  await openVault(at).set("B", "second-value", "file", 1);
  const path = join(at.home, "vault.json");
  const file = vaultIn(at.home);
  const key = Buffer.from(readFileSync(join(at.home, "secrets", `vault-${file.key.id}.key`), "utf8"), "base64");
  const { A, B } = file.entries;
  if (A === undefined || B === undefined) throw new Error("both were set");
  for (const entries of [
    { A: B, B: A },
    { A: { ...A, version: 2 }, B },
  ]) {
    writeFileSync(path, JSON.stringify({ ...file, entries, seal: sealOf(entries, key) }), { mode: 0o600 });
    expect(codeOf(() => openVault(at).get("A"))).toBe("vault.damaged");
  }
  writeFileSync(path, JSON.stringify({ ...file, seal: sealOf({ A, B }, key) }), { mode: 0o600 });
  expect(openVault(at).get("A")).toBe(SECRET);
});

test("R282 G24 a vault or key that others can read is refused, and doctor --fix repairs it", async () => {
  const app = margay();
  app.configure({});
  await app.run(["secrets", "set", "A"], { stdin: SECRET });
  const key = readdirSync(join(app.home, "secrets"))[0] ?? "";
  for (const path of [join(app.home, "vault.json"), join(app.home, "secrets", key)]) {
    chmodSync(path, 0o647);
    const refused = await app.run(["secrets", "check"]);
    expect([refused.code, refused.err]).toEqual([
      78,
      expect.stringMatching(/can be read by others on this machine \(mode 647\).*\[vault\.shared\]/s),
    ]);
    await app.run(["doctor", "--fix"]);
    expect((await app.run(["secrets", "check"])).code).toBe(0);
  }
});

test("R282 a passphrase opens what it closed; another one does not; rotation changes the key", async () => {
  const at = place({ passphrase: "correct horse battery" });
  await openVault(at).set("A", SECRET, "passphrase", 1);
  expect(openVault({ ...at, passphrase: "correct horse batterie" }).keyKind).toBe("passphrase");
  expect(codeOf(() => openVault({ ...at, passphrase: "correct horse batterie" }).get("A"))).toBe("vault.wrong-key");
  const { passphrase: _none, ...without } = at;
  expect(codeOf(() => openVault(without).get("A"))).toBe("vault.locked");
  expect(openVault({ ...without, env: { MARGAY_VAULT_PASSPHRASE: "correct horse battery" } }).get("A")).toBe(SECRET);
  const file = join(at.home, "passphrase");
  writeFileSync(file, "correct horse battery\n", { mode: 0o600 });
  expect(openVault({ ...without, env: { MARGAY_VAULT_PASSPHRASE_FILE: file } }).get("A")).toBe(SECRET);
  chmodSync(file, 0o644);
  expect(codeOf(() => openVault({ ...without, env: { MARGAY_VAULT_PASSPHRASE_FILE: file } }).get("A"))).toBe(
    "vault.shared",
  );
  rmSync(file);
  expect(codeOf(() => openVault({ ...without, env: { MARGAY_VAULT_PASSPHRASE_FILE: file } }).get("A"))).toBe(
    "vault.locked",
  );
  // Another cost would be another key, and every vault of before would be locked.
  const { entries, key: header, seal } = vaultIn(at.home);
  const cost = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 };
  const key = scryptSync("correct horse battery", Buffer.from(header.salt ?? "", "base64"), 32, cost);
  expect(sealOf(entries, key)).toBe(seal);
  await openVault(at).rotate("file", without);
  expect(openVault(without).get("A")).toBe(SECRET);
  expect(readdirSync(join(at.home, "secrets"))).toHaveLength(1);
});

test.each([
  ["before the new vault is in its place", false],
  ["when it is in its place", true],
])("R282 a disk that fails %s costs no secret: one key or the other opens all of it", async (_when, isStored) => {
  const at = place();
  const write: KeyPlace["docs"]["write"] = async (...doc) => {
    if (isStored) await at.docs.write(...doc);
    throw new Error("ENOSPC");
  };
  const faulty = { ...at, docs: { ...at.docs, write } };
  const keys = (): number => readdirSync(join(at.home, "secrets")).length;
  await expect(openVault(faulty).set("A", SECRET, "file", 1)).rejects.toThrow("ENOSPC");
  expect(openVault(at).get("A")).toBe(isStored ? SECRET : undefined);
  expect(keys()).toBe(isStored ? 1 : 0);
  await openVault(at).set("A", SECRET, "file", 2);
  await expect(openVault(faulty).rotate("file", at)).rejects.toThrow("ENOSPC");
  expect(openVault(at).get("A")).toBe(SECRET);
  expect(keys()).toBe(isStored ? 2 : 1);
});

test("R282 several processes that change the vault at once take turns: no value is lost, and the key fits", async () => {
  const app = margay();
  const main = join(import.meta.dirname, "../../bin/margay.js");
  // Making a key of a passphrase takes its time: what was read before it is old by then.
  const env = { PATH: process.env["PATH"], HOME: app.home, MARGAY_HOME: app.home };
  const program = (passphrase: string, input: string, ...argv: readonly string[]): Promise<number | null> => {
    const child = spawn(process.execPath, [main, "secrets", ...argv], {
      env: { ...env, MARGAY_VAULT_PASSPHRASE: passphrase },
      stdio: ["pipe", "ignore", "ignore"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    child.stdin.end(input);
    return new Promise((resolve) => child.once("close", resolve));
  };
  const names = ["A", "B", "C"];
  const first = names.map((name) => program("correct horse battery", name, "set", name, "--key", "passphrase"));
  expect(await Promise.all(first)).toEqual([0, 0, 0]);
  const at = place({ home: app.home, passphrase: "correct horse battery" });
  expect(names.map((name) => openVault(at).get(name))).toEqual(names);
  const second = [
    program(at.passphrase ?? "", "D", "set", "D"),
    program(at.passphrase ?? "", "", "rotate", "--key", "file"),
  ];
  expect(await Promise.all(second)).toEqual([0, 0]);
  expect([...names, "D"].map((name) => openVault(at).get(name))).toEqual([...names, "D"]);
  expect(readdirSync(join(app.home, "secrets"))).toHaveLength(1);
});

test("R314 R322 a reference is used where it is configured and shown as set; no command needs the vault to show it", async () => {
  const app = margay();
  const set = await app.run(["secrets", "set", "OPENAI", "--json"], { stdin: `${SECRET}\n` });
  expect(set.lines).toEqual([{ name: "OPENAI", reference: "${vault:OPENAI}" }]);
  expect((await app.run(["config", "set", "providers.openai.apiKey", "${vault:OPENAI}"])).code).toBe(0);
  expect(readFileSync(join(app.home, "config.json"), "utf8")).toContain("${vault:OPENAI}");
  expect((await app.run(["config", "check"])).code).toBe(0);
  const shown = await app.run(["config", "show", "providers", "--json"]);
  expect(shown.out).toContain('"key":"providers.openai.apiKey","value":"set"');
  expect((await app.run(["secrets", "list", "--json"])).lines).toMatchObject([{ items: [{ name: "OPENAI" }] }]);
  expect((await app.run(["secrets", "rotate"])).code).toBe(0);
  expect((await app.run(["config", "check"])).code).toBe(0);
  expect((await app.run(["secrets", "remove", "OPENAI"])).code).toBe(0);
  const missing = await app.run(["config", "check"]);
  expect([missing.code, missing.err]).toEqual([78, expect.stringContaining("margay secrets set OPENAI")]);
  // What is shown needs no key.
  expect((await app.run(["config", "show"])).code).toBe(0);
  expect([set.out, set.err, shown.out].join("")).not.toContain(SECRET);
});

test("R282 a value as an argument, an empty one and a wrong name are refused with what to do", async () => {
  const app = margay();
  for (const [argv, stdin, told] of [
    [["secrets", "set", "sk-live/abc=="], "x", "The value is not an argument"],
    [["secrets", "set", "A"], "", "pipe it in"],
    [["secrets", "remove", "A"], "", "secrets list"],
    [["secrets", "rotate"], "", "no vault yet"],
  ] as const) {
    const ran = await app.run(argv, { stdin });
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining(told)]);
  }
  const chinese = await app.run(["secrets", "rotate"], { env: { LANG: "zh_CN.UTF-8" } });
  expect(chinese.err).toContain("还没有保险库");
});

const FAKE = `#!/bin/sh
# What libsecret's and macOS's programs do, over a folder: the arguments are recorded, a value comes by stdin only.
printf '%s\\n' "$*" >> "$0.argv"
dir="$(dirname "$0")/entries"; mkdir -p "$dir"
case "$(basename "$0") $1" in
"secret-tool store") cat > "$dir/$6" ;;
"secret-tool lookup") [ -f "$dir/$5" ] || exit 1; cat "$dir/$5" ;;
"secret-tool clear") rm -f "$dir/$5" ;;
"security -i") read -r _ _ _ _ _ name _ hex; printf '%s' "$hex" | sed 's/../\\\\x&/g' > "$dir/hex"; printf "$(cat "$dir/hex")" > "$dir/$name" ;;
"security find-generic-password") [ -f "$dir/$5" ] || { echo "could not be found" >&2; exit 44; }; cat "$dir/$5"; echo ;;
"security delete-generic-password") [ -f "$dir/$5" ] || exit 44; rm "$dir/$5" ;;
esac
`;

function fakeKeyring(program: string, text = FAKE): { readonly directory: string; readonly PATH: string } {
  const directory = mkdtempSync(join(tmpdir(), "margay-keyring-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, program), text.replace("#!/bin/sh", "#!/bin/bash"), { mode: 0o755 });
  return { directory, PATH: `${directory}${delimiter}${process.env["PATH"] ?? ""}` };
}

test.each([
  ["secret-tool", "linux"],
  ["security", "darwin"],
] as const)("R282 the keyring through %s: kept, found, removed; no value is an argument", (program, platform) => {
  const { directory, PATH } = fakeKeyring(program);
  const keyring = openKeyring({ env: { PATH }, t: translator("en"), platform });
  expect(keyring.get("OPENAI")).toBeUndefined();
  keyring.set("OPENAI", SECRET);
  expect(keyring.get("OPENAI")).toBe(SECRET);
  keyring.remove("OPENAI");
  expect(keyring.get("OPENAI")).toBeUndefined();
  const seen = readFileSync(join(directory, `${program}.argv`), "utf8");
  expect(seen).not.toContain(SECRET);
  expect(seen).not.toContain(Buffer.from(SECRET).toString("hex"));
});

test.each([
  ["secret-tool", "linux", "libsecret-tools"],
  ["security", "darwin", "use the vault|Use the vault"],
] as const)(
  "R282 without %s, or with a keyring that is locked, the error says what to do",
  (program, platform, remedy) => {
    const empty = mkdtempSync(join(tmpdir(), "margay-nothing-"));
    onTestFinished(() => rmSync(empty, { recursive: true, force: true }));
    const absent = openKeyring({ env: { PATH: empty }, t: translator("en"), platform });
    expect(() => absent.get("A")).toThrow(new RegExp(remedy));
    const { PATH } = fakeKeyring(program, "#!/bin/sh\necho 'Cannot autolaunch D-Bus without X11' >&2\nexit 1\n");
    const locked = openKeyring({ env: { PATH }, t: translator("en"), platform });
    expect(codeOf(() => locked.get("A"))).toBe("keyring.failed");
    expect(() => locked.get("A")).toThrow(/running and unlocked/);
  },
);

test.runIf(process.platform === "linux")(
  "R282 R314 ${keyring:NAME} in config.json, and the key of the vault in the keyring",
  async () => {
    const { PATH } = fakeKeyring("secret-tool");
    const app = margay();
    const env = { PATH };
    expect((await app.run(["secrets", "set", "BRAVE", "--keyring"], { stdin: SECRET, env })).code).toBe(0);
    expect((await app.run(["config", "set", "tools.webSearch.apiKey", "${keyring:BRAVE}"], { env })).code).toBe(0);
    expect((await app.run(["config", "check"], { env })).code).toBe(0);
    expect((await app.run(["secrets", "set", "A", "--key", "keyring"], { stdin: SECRET, env })).code).toBe(0);
    expect((await app.run(["secrets", "check", "--json"], { env })).lines).toEqual([
      { ok: true, key: "keyring", count: 1 },
    ]);
    expect((await app.run(["secrets", "remove", "BRAVE", "--keyring"], { env })).code).toBe(0);
    const gone = await app.run(["config", "check"], { env });
    expect([gone.code, gone.err]).toEqual([78, expect.stringContaining("--keyring")]);
  },
);

test("R282 a person at the terminal is not asked for a passphrase that one of the two variables gives", async () => {
  const app = margay();
  const passphrase = "correct horse battery";
  const file = join(app.directory, "passphrase");
  writeFileSync(file, `${passphrase}\n`, { mode: 0o600 });
  const env = { MARGAY_VAULT_PASSPHRASE: passphrase };
  expect((await app.run(["secrets", "set", "A", "--key", "passphrase"], { stdin: SECRET, env })).code).toBe(0);
  const person = (): Promise<undefined> => Promise.reject(new Error("asked"));
  for (const given of [env, { MARGAY_VAULT_PASSPHRASE_FILE: file }])
    expect(await app.run(["secrets", "check"], { env: given, person })).toMatchObject({ code: 0, err: "" });
});
