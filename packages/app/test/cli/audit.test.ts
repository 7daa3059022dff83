// `margay audit` and what other commands leave in the log.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openFileDocs, systemClock } from "@margay/core/internal";
import { expect, test } from "vitest";
import { openPairing } from "../../src/host/pairing.ts";
import { startGateway } from "../gateway/support.ts";
import { margay, type Margay } from "./harness.ts";

function edit({ home }: Pick<Margay, "home">, change: (lines: string[]) => readonly string[]): void {
  const directory = join(home, "audit");
  const path = join(
    directory,
    readdirSync(directory).find((name) => name.endsWith(".jsonl"))!,
  );
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  writeFileSync(
    path,
    change(lines)
      .map((line) => `${line}\n`)
      .join(""),
  );
}

async function names(cli: Margay): Promise<readonly unknown[]> {
  const { lines } = await cli.run(["audit", "list", "--json"]);
  return lines.map(({ name }) => name);
}

test("R264 verify names the entry and the reason, in both languages and as JSON, with exit code 1", async () => {
  const cli = margay();
  for (let n = 0; n < 2; n++) {
    await cli.run(["stop", "--all"]);
    await cli.run(["resume", "--all"]);
  }
  const whole = await cli.run(["audit", "verify"]);
  expect([whole.code, whole.out]).toEqual([0, "The chain of 4 records is whole.\n"]);
  edit(cli, (lines) => lines.with(1, lines[1]!.replace('"by":"user"', '"by":"root"')));
  const broken = await cli.run(["audit", "verify"]);
  expect(broken.code).toBe(1);
  expect(broken.out).toContain("record 2: a record was changed");
  cli.configure({ language: "zh-CN" });
  expect((await cli.run(["audit", "verify"])).out).toContain("第 2 条记录处断裂：记录被修改");
  const json = await cli.run(["audit", "verify", "--json"]);
  expect(json.code).toBe(1);
  expect(json.lines[0]).toMatchObject({ ok: false, entries: 1, broken: { n: 2, reason: "edited", line: 2 } });
});

test("R264 a head that was noted elsewhere finds a log that was put back with its anchor", async () => {
  const cli = margay();
  await cli.run(["stop", "--all"]);
  const directory = join(cli.home, "audit");
  const kept = new Map(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name))]));
  await cli.run(["resume", "--all"]);
  const head = (await cli.run(["audit", "head"])).out.trim();
  expect(head).toMatch(/^2:[0-9a-f]{64}$/);
  for (const [name, bytes] of kept) writeFileSync(join(directory, name), bytes);
  expect((await cli.run(["audit", "verify"])).code).toBe(0);
  const found = await cli.run(["audit", "verify", "--head", head, "--json"]);
  expect(found.code).toBe(1);
  expect(found.lines[0]).toMatchObject({ broken: { reason: "truncated", n: 2 } });
  expect((await cli.run(["audit", "verify", "--head", "2:zz"])).code).toBe(2);
});

test("SE10 who was paired, by whom and as what, is in the log, also from beside a running gateway", async (t) => {
  const alone = margay();
  const offer = async (home: string, sender: string): Promise<string> =>
    (await openPairing(openFileDocs(home), systemClock()).offer("webhook", sender)) ?? "";
  const code = await offer(alone.home, "42");
  expect((await alone.run(["channels", "pair", "WRONGONE"])).code).toBe(2);
  expect((await alone.run(["channels", "pair", code, "--operator"])).code).toBe(0);
  expect((await alone.run(["channels", "unpair", "webhook", "42"])).code).toBe(0);
  expect(await names(alone)).toEqual(["pairing.refused", "pairing.approved", "pairing.removed"]);
  expect((await alone.run(["audit", "list"])).out).toContain('"role":"operator"');

  const gateway = await startGateway(t);
  const beside = margay();
  const run = (...argv: string[]) => beside.run(argv, { env: { MARGAY_HOME: gateway.home } });
  expect((await run("channels", "pair", await offer(gateway.home, "43"))).code).toBe(0);
  const found = await gateway.app.audit.list({ kind: "event" });
  expect(found.map((entry) => (entry.kind === "event" ? entry.name : ""))).toEqual(
    expect.arrayContaining(["pairing.approved", "sandbox.off"]),
  );
  expect((await run("audit", "verify")).code).toBe(0);
});
