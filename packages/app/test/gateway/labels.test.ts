// Files that count as strangers' text, listed and vouched for over HTTP.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectScopes, operations } from "./operations.ts";
import { clonesRepository, savesLetter } from "./strangers-files.ts";
import { startGateway, type TestGateway } from "./support.ts";

async function save(gateway: TestGateway, ...names: readonly string[]): Promise<void> {
  savesLetter(gateway, ...names);
  await gateway.app.agent.send("web:one", "save it", { origin: { channel: "web", chat: "one" } }).finished;
}

test("R283 the routes of labels ask for a credential of their scope", async (t) => {
  await expectScopes(await startGateway(t), ["listLabels", "trustFiles", "disownRepositories"]);
});

test("SC15 files that count as strangers' text are listed and vouched for by content", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  expect((await operate("listLabels")).body).toEqual({ items: [] });
  await save(gateway, "notes/page.md", "other.md");
  const { items } = (await operate("listLabels")).body;
  const known = { cause: expect.any(String), at: expect.any(Number), bytes: expect.any(Number) };
  expect(items).toEqual([
    { path: "notes/page.md", ...known, sha256: expect.any(String) },
    { path: "other.md", ...known, sha256: expect.any(String) },
  ]);
  expect((await operate("listLabels", { query: { path: "notes" } })).body.items).toEqual([items[0]]);

  writeFileSync(join(gateway.workspace, "other.md"), "something else by now");
  const shown = items.map(({ path, sha256 }: { path: string; sha256: string }) => ({ path, sha256 }));
  const done = await operate("trustFiles", { body: [...shown, { path: "own.md" }] });
  expect(done.body.items).toEqual([
    { path: "notes/page.md", status: "endorsed" },
    { path: "other.md", status: "changed" },
    { path: "own.md", status: "unknown" },
  ]);
  expect((await operate("listLabels")).body.items).toMatchObject([{ path: "other.md" }]);
  expect((await operate("trustFiles", { body: [{ path: "other.md" }] })).body.items).toEqual([
    { path: "other.md", status: "changed" }, // nobody said which content
  ]);
});

test("SC15 an empty list, or no list, is refused", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  for (const body of [[], {}, [{ path: "" }], [{ path: "a.md", sha256: "short" }]])
    expect((await operate("trustFiles", { body })).body.code).toBe("request.invalid");
});

test("SC17 a cloned repository is listed with its origin until somebody says whose it is", async (t) => {
  const gateway = await startGateway(t);
  const operate = operations(gateway);
  for (const [path, origin] of [
    ["cloned", "github.com/x/y"],
    ["other", "github.com/x/z"],
  ] as const) {
    clonesRepository(gateway, path, origin);
    await gateway.app.agent.send(`web:${path}`, "read it").finished;
  }
  const asked = [
    { path: "cloned/", cause: "came from github.com/x/y", origin: "github.com/x/y" },
    { path: "other/", cause: "came from github.com/x/z", origin: "github.com/x/z" },
  ];
  expect((await operate("listLabels")).body.items).toEqual(asked);
  expect((await operate("disownRepositories", { body: ["cloned/", "cloned/README.md"] })).body.items).toEqual([
    { path: "cloned/", status: "disowned" },
    { path: "cloned/README.md", status: "unknown" },
  ]);
  expect((await operate("trustFiles", { body: [{ path: "other/" }] })).body.items).toEqual([
    { path: "other/", status: "endorsed" },
  ]);
  expect((await operate("listLabels")).body.items).toEqual([{ path: "cloned/", cause: "came from github.com/x/y" }]);
});

test("SC17 SC29 policy.ownRepositories names those that are the operator's", async (t) => {
  const gateway = await startGateway(t, {
    config: () => ({ policy: { ownRepositories: ["github.com/me/*"] } }),
  });
  clonesRepository(gateway, "mine", "github.com/me/proj");
  await gateway.app.agent.send("web:one", "read it").finished;
  expect((await operations(gateway)("listLabels")).body.items).toEqual([]);
});
