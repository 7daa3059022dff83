// The same home to every kind of target: made, read, restored, thinned out, and whole after an upload that broke off.
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { margay, type Ran } from "../cli/harness.ts";
import { makeFolder, resticRepository, s3Server, webdavServer, type Served } from "./servers.ts";

const PASSPHRASE = "correct horse battery staple";
const ONE_LEFT = ["--keep-last", "1", "--keep-daily", "0", "--keep-weekly", "0", "--keep-monthly", "0"];

function homeFor({ name, user, password }: Served) {
  const app = margay();
  app.configure({
    backup: { target: name, passphrase: PASSPHRASE, password: "${vault:SERVER}", ...(user !== undefined && { user }) },
  });
  makeFolder(join(app.home, "workspace"));
  const write = (file: string, bytes: number): Buffer => {
    const content = randomBytes(bytes);
    writeFileSync(join(app.home, "workspace", file), content);
    return content;
  };
  const login = (): readonly string[] => {
    const files = { passphrase: PASSPHRASE, password };
    for (const [file, text] of Object.entries(files)) writeFileSync(join(app.directory, file), text, { mode: 0o600 });
    const also = user === undefined ? [] : ["--user", user];
    return ["--passphrase-file", "passphrase", "--password-file", "password", ...also];
  };
  return { ...app, write, login, ready: () => app.run(["secrets", "set", "SERVER"], { stdin: password }) };
}

type Home = ReturnType<typeof homeFor>;

async function restored(app: Home, { name }: Served, file: string): Promise<Buffer> {
  const fresh = { env: { MARGAY_HOME: join(app.directory, "fresh") } };
  const to = join(app.directory, `restored-${file}`);
  expect(await app.run(["restore", name, "--to", to, ...app.login()], fresh)).toMatchObject({ code: 0 });
  return readFileSync(join(to, "workspace", file));
}

test.each([
  ["WebDAV", webdavServer],
  ["S3", s3Server],
] as const)(
  "BK3 an upload to %s that breaks off harms nothing: the last snapshot is restored",
  async (_kind, serve) => {
    const served = await serve();
    const app = homeFor(served);
    await app.ready();
    const first = app.write("one.bin", 700_000);
    served.flaky?.();
    expect(await app.run(["backup"])).toMatchObject({ code: 0, err: "" });
    app.write("two.bin", 800_000);
    const broken: Ran[] = [];
    await served.broken?.(async (signal) => void broken.push(await app.run(["backup"], { signal })));
    expect(broken[0]?.code).not.toBe(0);
    expect(broken[0]?.err).not.toContain("internal.bug");
    expect(await app.run(["backup", "check"])).toMatchObject({ code: 0 });
    expect(await restored(app, served, "one.bin")).toEqual(first);

    const other = margay();
    other.configure({});
    const refused = await other.run(["backup", served.name, ...app.login().map((word) => inFolder(app, word))]);
    expect(refused.err).toContain("state.locked");
    expect(await app.run(["backup"])).toMatchObject({ code: 0 });
  },
);

function inFolder({ directory }: Home, word: string): string {
  return word.startsWith("pass") ? join(directory, word) : word;
}

test.each([
  ["WebDAV", webdavServer],
  ["S3", s3Server],
  ["restic", resticRepository],
] as const)("BK5 a backup at %s is made, pruned, whole and restored", { timeout: 300_000 }, async (_kind, serve) => {
  const served = await serve();
  const app = homeFor(served);
  await app.ready();
  app.write("two.bin", 800_000);
  expect(await app.run(["backup"])).toMatchObject({ code: 0, err: "" });
  const second = app.write("two.bin", 900_000);
  expect(await app.run(["backup"])).toMatchObject({ code: 0 });
  const pruned = await app.run(["backup", "prune", ...ONE_LEFT, "--json"]);
  expect(pruned.lines[0]).toMatchObject({ kept: 1, removed: [{}] });
  expect(await app.run(["backup", "check"])).toMatchObject({ code: 0 });
  expect(await restored(app, served, "two.bin")).toEqual(second);
});
