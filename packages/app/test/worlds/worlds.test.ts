/** R420: the worlds that users make. Everything is tried in each; what a test needs, the built program has made. */
import { createRequire } from "node:module";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { says } from "@margay/core/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { userNamed } from "./user.ts";
import { makeWorld, type Call, type World } from "./world.ts";

const WORLDS = (["root", "an ordinary user"] as const).flatMap((user) =>
  ["022", "077"].flatMap((umask) => [false, true].map((gateway) => ({ user, umask, gateway }))),
);
const exec = (command: string, more: object = {}): Call => ({ name: "exec", args: { command, ...more } });

describe.each(WORLDS)("R420 $user, umask $umask, beside a gateway: $gateway", ({ user, umask, gateway }) => {
  let world: World;
  beforeAll(async () => {
    world = await makeWorld({ user: userNamed(user), umask, gateway });
  });
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
  });

  test("DF14 R103 exec runs short and long commands in the workspace, and ends what one leaves running", async () => {
    const seconds = `100.${String(Math.random()).slice(2)}`; // of no other sleep on this machine
    const [short, long, left, after] = await world.calls(
      exec("pwd; echo short > made.txt; cat made.txt"),
      exec("for i in 1 2 3; do echo $i; sleep 0.3; done"),
      exec(`sleep ${seconds} & echo $!`),
      exec("mkdir -p deep && cd deep && pwd && umask"),
    );
    expect(short).toBe(`${world.workspace}\nshort\nExit code: 0`);
    expect(long).toBe("1\n2\n3\nExit code: 0");
    expect(left).toMatch(/^\d+\nExit code: 0$/);
    expect(running(`sleep\0${seconds}`)).toEqual([]);
    expect(after).toBe(`${world.workspace}/deep\n0${umask}\nExit code: 0`);
    expect((await world.calls(exec("cat ../made.txt", { working_dir: "deep" })))[0]).toBe("short\nExit code: 0");
  });

  test("R96 R97 file tools, memory and jobs work, also on what commands made, and what a turn did can be undone", async () => {
    const [wrote, read, edited, ran, listed, remembered, added] = await world.calls(
      { name: "write_file", args: { path: "notes/a.txt", content: "alpha\n" } },
      exec("cat notes/a.txt; echo beta > notes/b.txt"),
      { name: "edit_file", args: { path: "notes/b.txt", old_text: "beta", new_text: "gamma" } },
      exec("cat notes/b.txt; echo more >> notes/a.txt"),
      { name: "list_dir", args: { path: "notes" } },
      { name: "remember", args: { text: "The person likes tea." } },
      { name: "cron", args: { action: "add", message: "water the plants", every_seconds: 86_400 } },
    );
    expect(wrote).not.toMatch(/^Error/);
    expect(read).toBe("alpha\nExit code: 0");
    expect(edited).not.toMatch(/^Error/);
    expect(ran).toBe("gamma\nExit code: 0");
    expect(listed).toMatch(/a\.txt[^]*b\.txt/);
    expect(remembered).toBe("Remembered.");
    expect(added).not.toMatch(/^Error/);
    expect((await world.run("cat", join(world.workspace, "notes/a.txt"))).out).toBe("alpha\nmore\n");
    expect((await world.margay("memory", "show")).out).toContain("likes tea");
    expect((await world.margay("cron", "list")).out).toContain("water the plants");
    const undone = await world.margay("undo", "--yes");
    expect(undone).toMatchObject({ code: 0 });
    expect((await world.run("ls", world.workspace)).out.split("\n")).not.toContain("notes");
  });

  test("R233 R247 a job runs when the person says so, and at its time while a gateway runs", async () => {
    const add = async (...how: readonly string[]): Promise<string> => {
      const { out } = await world.margay("cron", "add", ...how, "--to", "cli:default", "--json");
      return String((JSON.parse(out) as { id: unknown }).id);
    };
    const runs = async (id: string): Promise<string> => (await world.margay("cron", "runs", id, "--json")).out;
    world.answers(says("watered"));
    const asked = await add("--every", "1d", "--message", "water the plants");
    const ran = await world.margay("cron", "run", asked);
    expect(ran).toMatchObject({ code: 0 });
    await expect.poll(() => runs(asked), { timeout: 60_000 }).toMatch(/"manual":true,[^\n]*"status":"ok"/);
    expect(world.model.requests.at(-1)?.texts("user")).toContain("water the plants");
    if (!gateway) return; // nothing is there at its time
    const due = await add("--every", "1s", "--message", "drink water", "--deliver");
    await expect.poll(() => runs(due), { timeout: 60_000 }).toMatch(/"manual":false,[^\n]*"status":"ok"/);
    expect(await world.margay("cron", "remove", due)).toMatchObject({ code: 0 });
  });

  test("DF42 an MCP server that is installed works as it was added, and its tool in a turn", async () => {
    const server = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/dist/index.js");
    expect(await world.margay("mcp", "add", "all", "--", "node", server, "stdio")).toMatchObject({ code: 0, err: "" });
    const { code, out } = await world.margay("mcp", "test", "all", "--json");
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/echo/) as string });
    const { manifestHash } = JSON.parse(out) as { readonly manifestHash: string };
    const approved = await world.margay("mcp", "approve", "all", "--approve-hash", manifestHash);
    expect(approved).toMatchObject({ code: 0, err: "" });
    const [echoed] = await world.calls({ name: "mcp_all_echo", args: { message: "over there" } });
    expect(world.model.requests.at(-1)?.toolNames).toContain("mcp_all_echo");
    expect(echoed).toContain("Echo: over there");
    expect(await found(world)).toEqual({ code: 0, findings: [] }); // beside a gateway while it runs
    world.anew(); // this one has read what strangers wrote
  });

  test("DF41 agent -m answers twice in a row; beside a gateway the same two messages go through it", async () => {
    for (const text of ["first question", "second question"]) {
      world.answers(says(`answer to ${text}`));
      expect(await world.say(text)).toContain(`answer to ${text}`);
      expect(world.model.requests.at(-1)?.texts("user").at(-1)).toContain(text);
    }
    world.answers(says("answer to the command"));
    const { code, out, err } = await world.margay("agent", "-m", "beside it");
    expect({ code, out, err }).toEqual({
      code: 0,
      out: expect.stringContaining("answer to the command") as string,
      // Nothing, but what a job of another test here has delivered to this chat.
      err: expect.stringMatching(/^(?:A reply of \S+ that was not shown before:\n)*$/) as string,
    });
  });

  test("SE8 unless somebody configures it commands need the sandbox, no channel is on, and only this machine reaches the gateway, with a token", async () => {
    const value = async (key: string): Promise<string> => (await world.margay("config", "get", key)).out.trim();
    expect(await value("tools.exec.sandbox")).toBe("required");
    const config: unknown = JSON.parse((await world.run("cat", join(world.home, "config.json"))).out);
    expect(config).not.toHaveProperty("channels");
    expect(await value("gateway.host")).toBe("127.0.0.1");
    if (!gateway) return;
    const { url } = JSON.parse((await world.run("cat", join(world.home, "gateway.json"))).out) as { url: string };
    // Local address and port in hexadecimal; state 0A is listening (proc(5), /proc/net/tcp).
    const sockets = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) => readFileSync(file, "utf8").split("\n"));
    const at = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, "0");
    const listening = sockets.flatMap((line) => /: (\w+):(\w+) \w+:\w+ 0A /.exec(line)?.slice(1) ?? []);
    expect(listening.filter((_, index) => listening[index + 1] === at)).toEqual(["0100007F"]);
    const stranger = async (path: string): Promise<number> => (await fetch(`${url}${path}`)).status;
    expect(await Promise.all(["/api/v1/sessions", "/api/v1/settings", "/v1/models"].map(stranger))).toEqual([
      401, 401, 401,
    ]);
  });

  test("R427 DF48 after 50 commands doctor has 0 findings, and all that margay made is its owner's alone", async () => {
    const round = Array.from({ length: 10 }, (_, at) => exec(`echo ${at} >> many.txt`));
    const results = await world.calls(...Array.from({ length: 5 }, () => round));
    expect(new Set(results)).toEqual(new Set(["Exit code: 0"]));
    const many = join(world.workspace, "many.txt");
    expect((await world.run("cat", many)).out.split("\n")).toHaveLength(51);
    expect(await found(world)).toEqual({ code: 0, findings: [] });
    expect(await wide(world)).toBe("");
    // What is the person's own follows the person's umask.
    const mode = 0o666 & ~Number.parseInt(umask, 8);
    expect((await world.run("stat", "--format=%a", many)).out).toBe(`${mode.toString(8)}\n`);
  });
});

/** What doctor says is not well. */
async function found(world: World): Promise<{ readonly code: number | null; readonly findings: readonly object[] }> {
  const { code, out } = await world.margay("doctor", "--json");
  const { findings } = JSON.parse(out) as { findings: readonly { level: string }[] };
  return { code, findings: findings.filter(({ level }) => level !== "ok") };
}

/** The processes of this machine that were started so. */
function running(command: string): readonly string[] {
  return readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "utf8").startsWith(command);
    } catch {
      return false; // it is gone
    }
  });
}

/** What others than its owner may do something with, but in the workspace and in what MCP servers made. */
async function wide({ home, run }: World): Promise<string> {
  const others = ["(", "-path", `${home}/workspace/*`, "-o", "-path", `${home}/mcp/*/*`, ")", "-prune"];
  const { out, err } = await run("find", home, ...others, "-o", "!", "-type", "l", "-perm", "/077", "-print");
  return out + err;
}
