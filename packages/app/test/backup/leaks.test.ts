// BK9: of the passphrase, the login and the content nothing is in arguments, environments, logs, or on the target; and an upload by
// restic that was killed harms nothing.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { margay, type Margay } from "../cli/harness.ts";
import { filesBelow, PROGRAM } from "./homes.ts";
import { resticRepository, s3Server, webdavServer, type Served } from "./servers.ts";

const PASSPHRASE = "planted passphrase 5d01c77e";
const TOLD = "planted content 91be03aa";
const LOGIN = "planted-login-2c66f0d4";
const FILE = "planted-name-7e19";

/** Shorter than any run of restic, which takes half a second for its key. */
const LOOK_MS = 25;
const LONG = { timeout: 300_000 };

/** Arguments and environment of one process, as others on this machine read them. */
interface Seen {
  readonly pid: number;
  readonly text: string;
}

function processes(): readonly Seen[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((name) => ({ pid: Number(name), text: `${read(name, "cmdline")}\0${read(name, "environ")}` }));
}

function read(pid: string, what: string): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, "latin1");
  } catch {
    return ""; // it has ended
  }
}

/** Runs a command of its own process, and looks at all others until it ends. */
async function watched(app: Margay, words: readonly string[], look: (seen: Seen, own: number) => void) {
  const child = spawn(process.execPath, ["--conditions=margay-source", PROGRAM, ...words], {
    env: { ...process.env, MARGAY_HOME: app.home },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (part: Buffer) => (said += part.toString("utf8")));
  const timer = setInterval(() => {
    for (const seen of processes()) look(seen, child.pid ?? 0);
  }, LOOK_MS);
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  clearInterval(timer);
  return { code, said };
}

async function homeFor({ name, user, password }: Served): Promise<Margay> {
  const app = margay();
  const login = { ...(user !== undefined && { user }), password: "${vault:LOGIN}" };
  app.configure({ log: { level: "debug" }, backup: { target: name, passphrase: "${vault:BACKUP}", ...login } });
  await app.run(["secrets", "set", "LOGIN"], { stdin: password });
  await app.run(["secrets", "set", "BACKUP"], { stdin: PASSPHRASE });
  mkdirSync(join(app.home, "workspace"), { recursive: true });
  writeFileSync(join(app.home, "workspace", FILE), `${TOLD}\n`);
  return app;
}

test.each([
  ["WebDAV", webdavServer],
  ["S3", s3Server],
  ["restic", () => resticRepository(LOGIN)],
] as const)("BK9 a backup at %s says nothing of passphrase, login and content", LONG, async (_kind, serve) => {
  const served = await serve();
  const app = await homeFor(served);
  const found = new Set<string>();
  const looked = new Set<number>();
  const look = ({ pid, text }: Seen, own: number): void => {
    if (pid === own || text.includes("restic\0")) looked.add(pid);
    for (const word of [PASSPHRASE, TOLD, LOGIN])
      if (text.includes(word)) found.add(`${word} in ${text.slice(0, 200)}`);
  };
  const outputs: string[] = [];
  for (const words of [["backup"], ["backup", "check"], ["backup", "drill"], ["backup", "list"]]) {
    const { code, said } = await watched(app, words, look);
    expect({ words, code, said }).toMatchObject({ code: 0 });
    outputs.push(said);
  }
  expect(looked.size).toBeGreaterThanOrEqual(4);
  expect([...found]).toEqual([]);
  const names = filesBelow(served.folder);
  expect(names.length).toBeGreaterThan(4);
  const logs = existsSync(join(app.home, "margay.log")) ? readFileSync(join(app.home, "margay.log"), "utf8") : "";
  const known = readFileSync(join(app.home, "backup/state.json"), "utf8");
  const kept = names.map((name) => readFileSync(join(served.folder, name), "latin1"));
  for (const word of [PASSPHRASE, TOLD, LOGIN, FILE, app.home])
    for (const text of [...outputs, logs, known, names.join("\n"), ...kept])
      expect(text.includes(word) && `${word} in ${text.slice(0, 200)}`).toBe(false);
});

test(
  "BK3 an upload by restic that is killed harms nothing: the last snapshot stands, and the next run goes on",
  LONG,
  async () => {
    const served = await resticRepository(LOGIN);
    const app = await homeFor(served);
    expect(await app.run(["backup"])).toMatchObject({ code: 0 });
    writeFileSync(join(app.home, "workspace/large.bin"), randomBytes(12_000_000));
    let killed = 0;
    const kill = ({ pid, text }: Seen, own: number): void => {
      // The one that uploads a pack, and who started it: as a machine that is switched off.
      if (killed > 0 || !text.startsWith("restic\0") || !text.includes("path=packs/")) return;
      killed = pid;
      for (const one of [own, pid]) process.kill(one, "SIGKILL");
    };
    expect(await watched(app, ["backup"], kill)).toMatchObject({ code: null });
    expect(killed).toBeGreaterThan(0);
    expect(await app.run(["backup", "check"])).toMatchObject({ code: 0 });
    expect(await app.run(["backup"])).toMatchObject({ code: 0 });
    const to = join(app.directory, "restored");
    for (const [file, text] of Object.entries({ passphrase: PASSPHRASE, password: LOGIN }))
      writeFileSync(join(app.directory, file), text, { mode: 0o600 });
    const words = ["--passphrase-file", "passphrase", "--password-file", "password"];
    expect(await app.run(["restore", served.name, "--to", to, ...words])).toMatchObject({ code: 0 });
    expect(readFileSync(join(to, "workspace/large.bin"))).toEqual(readFileSync(join(app.home, "workspace/large.bin")));
  },
);
