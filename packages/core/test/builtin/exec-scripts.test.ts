import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { callFilesOf } from "../../src/builtin/exec/scripts.ts";
import { grantOf } from "../../src/policy/grants.ts";
import { temporaryFolder } from "../support/folder.ts";

async function place() {
  const folder = await temporaryFolder();
  mkdirSync(folder.at("w/sub"), { recursive: true });
  for (const name of [
    "build.sh",
    "run.py",
    "Makefile",
    "package.json",
    "sub/deep.sh",
    "sub/Makefile",
    "data.csv",
    "odd name.sh",
  ])
    writeFileSync(folder.at(`w/${name}`), `${name}\n`);
  chmodSync(folder.at("w/build.sh"), 0o755);
  writeFileSync(folder.at("outside.sh"), "x");
  symlinkSync(folder.at("w/sub/deep.sh"), folder.at("w/link.sh"));
  return folder;
}

test.each<[string, readonly string[]]>([
  ["sh build.sh", ["build.sh"]],
  ["./build.sh && python3 run.py", ["build.sh", "run.py"]],
  ["FOO=1 ./build.sh", ["build.sh"]],
  ['bash -c "python3 run.py"', ["run.py"]],
  ["sh 'odd name.sh'", ["odd name.sh"]],
  ["sh odd\\ name.sh", ["odd name.sh"]],
  ["sh < build.sh", ["build.sh"]],
  ["echo $(sh build.sh)", ["build.sh"]],
  ["sh link.sh", ["sub/deep.sh"]],
  ["make test", ["Makefile"]],
  ["npm test", ["package.json"]],
  ["sh ../outside.sh", []],
  ["cat build.sh > data.csv", []],
  ["python3 run.py > data.csv", ["run.py"]],
  ["sh missing.sh", []],
  ["sh sub", []],
  ["constructor run.py", ["run.py"]],
  ["cd sub && sh deep.sh", ["sub/deep.sh"]],
  ["cd sub; cd ..; sh build.sh", ["build.sh"]],
  ["pushd sub >/dev/null && ./deep.sh", ["sub/deep.sh"]],
  ["(cd sub; make test)", ["Makefile", "sub/Makefile"]],
  ["make -C sub test", ["Makefile", "sub/Makefile"]],
  ["make --directory=sub", ["Makefile", "sub/Makefile"]],
  ["env -C sub sh deep.sh", ["sub/deep.sh"]],
  ["cat build.sh | sh", ["build.sh"]],
  ["cp build.sh /tmp/x && sh /tmp/x", ["build.sh"]],
  ["F=build.sh; sh $F", ["build.sh"]],
  ['D=sub; sh "$D/deep.sh"', ["sub/deep.sh"]],
  ["sh b*.sh", ["build.sh"]],
  ["sh sub/dee?.sh", ["sub/deep.sh"]],
  ["cat *.csv | sort", []],
  [`sh ${"x".repeat(300)} build.sh`, ["build.sh"]],
  ["sh 'a\0b' build.sh", ["build.sh"]],
])("an approval of %j is bound to the content of %j", async (command, expected) => {
  await using folder = await place();
  const { scripts = {} } = callFilesOf(folder.at("w"), "exec", { command });
  expect(Object.keys(scripts).toSorted()).toEqual(expected.map((name) => folder.at(`w/${name}`)).toSorted());
});

test("another content, directory or target is something else", async () => {
  await using folder = await place();
  const input = { command: "sh build.sh" };
  const before = callFilesOf(folder.at("w"), "exec", input);
  expect(callFilesOf(folder.at("w"), "exec", input)).toEqual(before);
  writeFileSync(folder.at("w/build.sh"), "rm -rf ~\n");
  expect(callFilesOf(folder.at("w"), "exec", input)).not.toEqual(before);
  expect(callFilesOf(folder.at("w"), "exec", { ...input, working_dir: "sub" }).directory).toBe(folder.at("w/sub"));
  symlinkSync(folder.at("w/sub"), folder.at("w/elsewhere"));
  const target = (path: string) => callFilesOf(folder.at("w"), "write_file", { path }).target;
  expect(target("elsewhere/new/file.txt")).toBe(folder.at("w/sub/new/file.txt"));
});

test("a command that names more than anybody reads is no yes for the next time, and keeps nothing up", async () => {
  await using folder = await place();
  for (let n = 0; n < 40; n++) mkdirSync(folder.at(`w/d${n}`));
  const many = (of: (n: number) => string, count: number): string =>
    Array.from({ length: count }, (_, n) => of(n)).join(" ");
  const dirs = many((n) => `d${n}`, 40);
  for (const command of [
    `cd d1; ls ${dirs}; sh build.sh ${many((n) => `w${n}`, 18_000)}`,
    `sh ${many((n) => `*${n}`, 5000)} ${dirs}`,
    `sh ${many(() => "d*", 5000)} ${many((n) => `../../w/d${n % 40}/../d*`, 400)}`,
  ]) {
    const found = callFilesOf(folder.at("w"), "exec", { command });
    expect(found).toEqual({ workspace: folder.at("w"), directory: folder.at("w"), unknown: true });
    const call = { type: "tool-call", callId: "c", name: "exec", input: { command } } as never;
    const origin = { channel: "cli", chat: "direct" };
    expect(grantOf("exec without sandbox", call, { origin, callFiles: found }, undefined)).toBeUndefined();
  }
});
