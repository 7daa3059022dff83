// `margay people`: who is added, what they are told by, and what is refused. By the command, on homes it makes itself.
import { openFileDocs } from "@margay/core/internal";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openPairing } from "../../src/host/pairing.ts";
import { margay } from "../cli/harness.ts";

function home() {
  const place = margay();
  place.configure({ channels: { webhook: { enabled: true, secret: "s".repeat(32), allowFrom: ["ann"] } } });
  const people = async (...args: readonly string[]) => place.run(["people", ...args]);
  const config = (): { people?: Record<string, unknown> } =>
    JSON.parse(readFileSync(join(place.home, "config.json"), "utf8")) as { people?: Record<string, unknown> };
  return { ...place, people, config };
}

test("PE1 PE5 PE11 a person is added with role, name and identities, and explained by them", async () => {
  const { people, config, home: directory } = home();
  mkdirSync(join(directory, "workspace"), { recursive: true });
  writeFileSync(join(directory, "workspace", "AGENTS.md"), "be brief");
  const added = await people("add", "eva", "--name", "Eva", "--id", "webhook:eva", "--id", "webhook:77");
  expect(added).toMatchObject({ code: 0, err: "" });
  expect(added.out).toContain("eva is a member now");
  expect(added.out).toContain("AGENTS.md (8 B)"); // what she can learn is said before she can
  expect(config().people).toEqual({ eva: { role: "member", name: "Eva", ids: ["webhook:eva", "webhook:77"] } });
  expect((await people("explain", "webhook:77")).out).toContain("webhook:77 is eva, a member, by `people.eva.ids`");
  expect((await people("add", "bob", "--role", "operator")).out).toContain("bob is an operator now");
  expect((await people("link", "bob", "webhook:bob")).out).toContain("webhook:bob is bob now");
  expect((await people("link", "bob", "webhook:bob")).out).toContain("webhook:bob was bob already");
  const listed = JSON.parse((await people("list", "--json")).out) as readonly object[];
  expect(listed).toEqual([
    { channel: "webhook", sender: "eva", role: "member", because: "person", person: "eva" },
    { channel: "webhook", sender: "77", role: "member", because: "person", person: "eva" },
    { channel: "webhook", sender: "bob", role: "operator", because: "person", person: "bob" },
    { channel: "webhook", sender: "ann", role: "guest", because: "listed" },
  ]);
  expect((await people("unlink", "eva", "webhook:77")).out).toContain("webhook:77 is eva no longer");
  expect((await people("explain", "webhook:77")).out).toContain("is a stranger");
});

test.for([
  ["people.bob.ids", '["webhook:eva"]', "people.eva.ids"],
  ["channels.webhook.operators", '["eva"]', "people.eva.ids"],
  ["people.owner.ids", '["webhook:eva"]', "people.eva.ids"],
])("PE1 an identity belongs to one person: %s %s is refused, and says where it stands", async ([key, value, where]) => {
  const { people, run, home: directory } = home();
  await people("add", "eva", "--id", "webhook:eva");
  await people("add", "bob");
  const before = readFileSync(join(directory, "config.json"), "utf8");
  const { code, err } = await run(["config", "set", key ?? "", value ?? ""]);
  expect(code).not.toBe(0);
  expect(err).toContain(where);
  expect(err).toContain("webhook:eva");
  expect(readFileSync(join(directory, "config.json"), "utf8")).toBe(before);
  expect((await people("link", "bob", "webhook:eva")).err).toContain("people.eva.ids");
});

test("PE1 PE4 an identity of the owner is found and taken back wherever it stands", async () => {
  const { people, run, config } = home();
  await run(["config", "set", "people.owner.ids", '["webhook:ada"]']);
  expect((await people("explain", "webhook:ada")).out).toContain("webhook:ada is the owner, by `people.owner.ids`");
  expect((await people("link", "owner", "webhook:ada")).out).toContain("was yours already");
  expect((await people("unlink", "owner", "webhook:ada")).out).toContain("not yours any more");
  expect(config().people).toEqual({ owner: { ids: [] } });
  expect((await people("explain", "webhook:ada")).out).toContain("is a stranger");
});

test("PE1 the same in a file that was edited is a fault that names both places", async () => {
  const place = margay();
  place.configure({ people: { eva: { ids: ["webhook:1"] }, bob: { ids: ["webhook:1"] } } });
  const { code, err } = await place.run(["config", "show"]);
  expect(code).not.toBe(0);
  expect(err).toContain("people.bob.ids");
  expect(err).toContain("people.eva.ids");
});

test("PE5 the code of a stranger is a person's by --person: linked, no guest; a wrong name uses no code up", async () => {
  const { people, run, config, home: directory } = home();
  await people("add", "eva");
  const pairing = openPairing(openFileDocs(directory), { now: () => Date.now() });
  const code = (await pairing.offer("webhook", "77")) ?? "";
  const wrong = await run(["channels", "pair", code, "--person", "evi"]);
  expect(wrong.code).toBe(2);
  expect(wrong.err).toContain("There is no person evi. There are: owner, eva.");
  expect((await run(["channels", "pair", code, "--person", "eva", "--operator"])).err).toContain("Say either");
  expect((await run(["channels", "pair", code, "--person", "eva"])).code).toBe(0);
  expect(config().people).toEqual({ eva: { role: "member", ids: ["webhook:77"] } });
  expect((await people("explain", "webhook:77")).out).toContain("webhook:77 is eva");
  await people("unlink", "eva", "webhook:77");
  expect((await people("explain", "webhook:77")).out).toContain("is a stranger");
});

test.for(["guest", "group", "household", "public", "heartbeat", "owner", "Eva", "1st", "e v", "x".repeat(33), "-a"])(
  "PE2 %s is no name for a person",
  async (name) => {
    const { people, config } = home();
    const { code, err } = await people("add", "--", name);
    expect(code).toBe(2);
    expect(err).toContain("is no name for a person");
    expect(config().people).toBeUndefined();
  },
);

test("PE2 PE10 who was removed is a stranger, the name is never used again, and the files stay until they are deleted", async () => {
  const { people, config, home: directory } = home();
  await people("add", "eva", "--id", "webhook:eva");
  const file = join(directory, "spaces", "p-eva", "diary.txt");
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, "hers");
  const removed = await people("remove", "eva");
  expect(removed.out).toContain(join(directory, "spaces", "p-eva"));
  expect(readFileSync(file, "utf8")).toBe("hers");
  expect((await people("explain", "webhook:eva")).out).toContain("is a stranger");
  const again = await people("add", "eva");
  expect(again.code).toBe(2);
  expect(again.err).toContain("was somebody else");
  expect((await people("remove", "eva")).err).toContain("There is no person eva. There are: owner.");
  await people("add", "bob");
  mkdirSync(join(directory, "spaces", "p-bob"), { recursive: true });
  expect((await people("remove", "bob", "--delete")).out).toContain("Removed with all that was in it");
  expect(existsSync(join(directory, "spaces", "p-bob"))).toBe(false);
  expect(existsSync(file)).toBe(true);
  expect(config().people ?? {}).toEqual({});
});
