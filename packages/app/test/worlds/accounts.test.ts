/** As root commands have an account of their workspace's own: in folders that only it may enter, and named where a person needs it. */
import { chownSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { userNamed } from "./user.ts";
import { makeWorld, type Call, type World } from "./world.ts";

const exec = (command: string): Call => ({ name: "exec", args: { command } });
const user = userNamed("root");

async function freshWorld(): Promise<World> {
  const world = await makeWorld({ user, umask: "077", gateway: false });
  onTestFinished(() => world[Symbol.asyncDispose]());
  return world;
}

test("SC39 as root, a workspace and the folders above it that only its account may enter: commands work there", async () => {
  const world = await freshWorld();
  const workspace = join(world.person, "closed", "deep", "workspace");
  expect((await world.run("mkdir", "-p", "-m", "0700", workspace)).code).toBe(0);
  await world.margay("config", "set", "workspace", workspace);
  const [first = ""] = await world.calls(exec("id -u; echo one > made; mkdir sub"));
  const uid = Number(first.split("\n")[0]);
  expect(uid).toBeGreaterThan(0);
  for (const path of [dirname(workspace), dirname(dirname(workspace))]) {
    await world.run("chown", `${uid}:${uid}`, path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
  }
  expect(statSync(workspace).mode & 0o777).toBe(0o700);
  const [again, within] = await world.calls(exec("pwd; cat made"), {
    name: "exec",
    args: { command: "pwd; cat ../made", working_dir: "sub" },
  });
  expect(again).toBe(`${workspace}\none\nExit code: 0`);
  expect(within).toBe(`${workspace}/sub\none\nExit code: 0`);
});

test("SC40 doctor and mcp test name the user, and a folder that is given to it can be written by the server", async () => {
  const world = await freshWorld();
  const program = join(world.person, "server.cjs");
  const notes = join(world.person, "notes");
  mkdirSync(notes);
  // One that writes when it is started, and says how that went instead of a protocol.
  const code = `try { require("fs").writeFileSync(${JSON.stringify(join(notes, "a"))}, ""); } catch (e) { console.error(e.code); }
    process.exit(3);`;
  writeFileSync(program, code, { mode: 0o644 });
  if (user.change) for (const path of [notes, program]) chownSync(path, user.uid, user.gid);
  // Closed to everybody, /root as such: what a server runs must lie where it can be read.
  await world.run("chmod", "0711", world.person);
  await world.margay("mcp", "add", "notes", "--writable", notes, "--", "node", program);
  const refused = await world.margay("mcp", "test", "notes");
  const said = /runs as user (\d+)\..*(chown -R \d+:\d+) FOLDER/.exec(refused.err);
  expect(refused.err).toContain("EACCES");
  expect((await world.run("/bin/sh", "-c", `${said?.[2] ?? "false"} ${notes}`)).code).toBe(0);
  expect((await world.margay("mcp", "test", "notes")).err).not.toContain("EACCES");
  const { out } = await world.margay("doctor", "--json");
  const commands = /as user (\d+), whom their files belong to/.exec(out)?.[1];
  expect(commands).toMatch(/^60\d{3}$/);
  expect(said?.[1]).toMatch(/^60\d{3}$/);
  expect(said?.[1]).not.toBe(commands);
});
