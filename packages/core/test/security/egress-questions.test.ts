// A host that nobody listed: the connection waits for a person, and the command with it.
import { expect, test } from "vitest";
import type { CallAnswer, CallQuestionInput, ToolContext } from "../../src/contract/tool.ts";
import { systemClock } from "../../src/machine/system/clock.ts";
import { confined } from "./confined.ts";

const UNTRUSTED: ToolContext["label"] = { integrity: "untrusted", confidentiality: "public" };

/** A person who says the same to every question. */
function person(answer: CallAnswer, meanwhile: () => Promise<void> = async () => {}) {
  const asked: CallQuestionInput[] = [];
  const ask: NonNullable<ToolContext["ask"]> = async (question) => {
    asked.push(question);
    await meanwhile();
    return answer;
  };
  return { asked, ask };
}

const YES: CallAnswer = { verdict: "allow", by: "user" };

test("SC20 a yes lets the held connection go on, and the command runs once", async () => {
  const { run, attempts, names, doors } = await confined([]);
  let heldNames: readonly string[] = ["?"];
  const { asked, ask } = person(YES, async () => void (heldNames = [...names]));
  const said = await run("echo started; curl -sS http://new.test/ && curl -sS http://new.test/", {}, { ask });
  expect(said).toContain("started\noutsideoutside\nExit code: 0");
  expect(
    asked.map(({ prompt, grant, waitMs, remember }) => ({ prompt, scope: grant.scope, waitMs, remember })),
  ).toEqual([
    {
      prompt: {
        en: "echo started; curl -sS http://new.test/ && curl -sS http://new.test/ wants new.test:80",
        "zh-CN": "echo started; curl -sS http://new.test/ && curl -sS http://new.test/ 要连接 new.test:80",
      },
      scope: { host: "new.test", port: 80 },
      waitMs: 45_000,
      remember: true,
    },
  ]);
  expect(heldNames).toEqual([]); // whoever looks a name up has told it
  expect(attempts.map(({ host, allowed }) => [host, allowed])).toEqual([
    ["new.test", true],
    ["new.test", true],
  ]);
  expect(doors()).toEqual([]);
});

test("SC20 two hosts of one command are two questions, and a no is for its host alone", async () => {
  const { run, dials } = await confined([]);
  const hosts: unknown[] = [];
  const ask: NonNullable<ToolContext["ask"]> = async ({ grant: { scope } }) => {
    hosts.push(scope["host"]);
    return { verdict: scope["host"] === "one.test" ? "allow" : "deny", by: "user" };
  };
  const said = await run(
    "curl -sS http://one.test/; curl -s https://two.test/; curl -s https://two.test/",
    {},
    { ask },
  );
  expect(said).toContain("outside");
  expect(said).toContain("margay: two.test:443 is not allowed: a person said no");
  expect(hosts).toEqual(["one.test", "two.test"]);
  expect(dials).toEqual(["93.184.216.34:80"]);
});

test("SC20 the deadline of the command stands still while a person is asked", async () => {
  const { run } = await confined([]);
  // A person who thinks for longer than the command may take.
  const { ask } = person(YES, () => systemClock().sleep(5_000, new AbortController().signal));
  const said = await run("curl -sS http://new.test/", { timeout: 4 }, { ask });
  expect(said).toContain("outside\nExit code: 0");
  expect(await run("sleep 5", { timeout: 1 }, { ask })).toContain("timed out after 1 seconds");
});

test("SC20 nobody answers in time: refused, and who tries again asks nothing new", async () => {
  const { run, dials } = await confined([]);
  const { asked, ask } = person({ verdict: "late" });
  const said = await run("curl -s http://new.test/; curl -s http://new.test/", {}, { ask });
  expect(said).toContain(
    "margay: new.test:80 is not allowed: nobody answered within 45 s; a later yes counts for the next call",
  );
  expect(asked).toHaveLength(1);
  expect(dials).toEqual([]);
});

test("SC21 where nobody is, it is refused at once in these words", async () => {
  const { run, dials, names } = await confined([]);
  const { ask } = person({ verdict: "nobody" });
  expect(await run("curl -s http://new.test/", {}, { ask })).toBe(
    "margay: new.test is not allowed; nobody was there to ask\nExit code: 0",
  );
  expect(await run("curl -s https://new.test/")).toContain("margay: new.test is not allowed; nobody was there to ask");
  expect([dials, names]).toEqual([[], []]);
});

test("network/MAX_TOLD: three refusals are told, a fourth is not", async () => {
  const { run } = await confined([]);
  const { ask } = person({ verdict: "deny", by: "user" });
  const told = async (...hosts: readonly string[]): Promise<number> => {
    const said = await run(hosts.map((host) => `curl -s https://${host}.test/`).join("; "), {}, { ask });
    return said.split("a person said no").length - 1;
  };
  expect(await told("a", "b", "c")).toBe(3);
  expect(await told("a", "b", "c", "d")).toBe(3);
});

test("SC21 after a stranger's text a yes is for once", async () => {
  const { run } = await confined([]);
  const { asked, ask } = person(YES);
  await run("curl -s http://new.test/", {}, { ask, label: UNTRUSTED });
  expect(asked.map(({ remember, risks }) => [remember, risks])).toEqual([[false, ["untrusted-content"]]]);
});

test("SC22 a private address stays refused whatever was answered, and names that can be nothing else are not asked about", async () => {
  const { run, dials } = await confined([]);
  const { asked, ask } = person(YES);
  const said = await run(
    "curl -s http://loop.test/; curl -s http://router.lan/; curl -s http://intranet/",
    {},
    { ask },
  );
  expect(said).toContain("margay: loop.test is not a public address");
  expect(said).toContain("margay: router.lan is not a public address");
  expect(asked.map(({ grant }) => grant.scope["host"])).toEqual(["loop.test"]);
  expect(dials).toEqual([]);
});

test("SC22 a yes is for host and port", async () => {
  const { run } = await confined([]);
  const { asked, ask } = person(YES);
  await run("curl -s http://new.test/; curl -s http://new.test:8080/; curl -s http://sub.new.test/", {}, { ask });
  expect(asked.map(({ grant }) => [grant.scope["host"], grant.scope["port"]])).toEqual([
    ["new.test", 80],
    ["new.test", 8080],
    ["sub.new.test", 80],
  ]);
});

test("SC19 the proxy knows whose connection it is, what went over it, and the socket goes with the call", async () => {
  const { run, attempts, traffic, doors } = await confined(["listed.test"]);
  const { ask } = person({ verdict: "deny", by: "user" });
  await Promise.all([
    run("curl -s http://listed.test/ -H 'X-Key: hunter2'"),
    run("curl -s http://other.test/", {}, { ask }),
  ]);
  const told = Object.fromEntries(attempts.map(({ host, ...rest }) => [host, rest]));
  expect(told["listed.test"]).toMatchObject({
    command: "curl -s http://listed.test/ -H 'X-Key: [secret]'",
    allowed: true,
  });
  expect(told["other.test"]).toMatchObject({
    allowed: false,
    port: 80,
    reason: "other.test:80 is not allowed: a person said no",
  });
  expect(told["other.test"]?.call).not.toBe(told["listed.test"]?.call);
  expect(traffic.map(({ host, sent, received }) => [host, sent > 50, received > 20])).toEqual([
    ["listed.test", true, true],
  ]);
  expect(doors()).toEqual([]);
});

test("SC23 what was reached makes the call a stranger's, and no other; trusted only when all of it is", async () => {
  const { result } = await confined(["listed.test", { host: "mine.test", trusted: true }]);
  const [out, date, mine, both] = await Promise.all([
    result("curl -s http://listed.test/"),
    result("date; sleep 0.3"),
    result("curl -s http://mine.test/"),
    result("curl -s http://mine.test/; curl -s http://listed.test/"),
  ]);
  expect(out).toMatchObject({ integrity: "untrusted", details: { label: ["network listed.test"] } });
  expect([date.integrity, mine.integrity]).toEqual([undefined, undefined]);
  expect(both).toMatchObject({ integrity: "untrusted", details: { label: ["network listed.test"] } });
});

test("SC23 a connection that was refused makes nothing untrusted", async () => {
  const { result } = await confined([]);
  const { ask } = person({ verdict: "deny", by: "user" });
  expect((await result("curl -s http://new.test/", {}, { ask })).integrity).toBeUndefined();
});

test.each([
  ["curl -s http://listed.test/", true],
  ["cd . && FOO=1 /usr/bin/curl -s http://listed.test/", true],
  ["git -C . ls-remote http://listed.test/x", true],
  ["git status; env", false],
  ["echo curl; env", false],
])("SC18 %s has a way out by itself: %s", async (command, isOut) => {
  const { run, attempts } = await confined(["listed.test"]);
  const said = await run(`${command}; ls /run/egress.sock`, { network: undefined as never });
  expect([
    said.includes("\n/run/egress.sock") || said.startsWith("/run/egress.sock") || said.includes("outside/run"),
    attempts.length > 0,
  ]).toEqual([isOut, isOut]);
});

test("SC18 network: false keeps a download in", async () => {
  const { run, attempts } = await confined(["listed.test"]);
  await run("curl -s http://listed.test/", { network: false });
  expect(attempts).toEqual([]);
});

const REPEAT = "This command had no network. Next: repeat it with network: true.";

test.each([
  "python3 -c 'import urllib.request; urllib.request.urlopen(\"http://listed.test/\")'",
  "curl -sS http://listed.test/",
  "echo 'npm error code EAI_AGAIN'; exit 1",
  "echo 'getaddrinfo ENOTFOUND registry.test'; exit 1",
  "echo 'Network is unreachable'; exit 1",
])("SC25 without network, %s ends with what helps", async (command) => {
  const { run } = await confined(["listed.test"]);
  expect((await run(command, { network: false })).split("\n").at(-1)).toBe(REPEAT);
});

test("SC25 a timeout says the same instead of a longer one, and nothing is said where it does not help", async () => {
  const { run } = await confined(["listed.test"]);
  const late = await run("echo 'Temporary failure in name resolution'; sleep 9", { network: false, timeout: 1 });
  expect(late).toContain(REPEAT);
  expect(late).not.toContain("longer timeout");
  expect(await run("echo Could not resolve host; exit 0", { network: false })).not.toContain(REPEAT);
  expect(await run("echo Could not resolve host; exit 1")).not.toContain(REPEAT);
  expect(await run("echo no such file; exit 1", { network: false })).not.toContain(REPEAT);
});
