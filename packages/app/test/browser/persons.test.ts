// The pages as somebody beside the owner: their own conversations, and nothing that would be refused.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { openBrowser, say, until } from "./support.ts";

test.for([
  ["on a computer", {}],
  ["on a phone in Chinese", { phone: true, language: "zh-CN" }],
] as const)("PE30 a person finds their conversations and nothing of the owner's, %s", async ([, options], t) => {
  const place = await openBrowser(t, {
    ...options,
    outside: true,
    config: { people: { eva: { name: "Eva" } } },
  });
  const { page, gateway, origin } = place;
  gateway.model.replies(says("CANARY-ANSWER"));
  const owners = await gateway.api("/sessions", {
    method: "POST",
    body: { message: { parts: [{ type: "text", text: "CANARY-OWNER" }] } },
  });
  await gateway.app.agent.idle();
  await page.goto(`${origin}/#login=${gateway.gateway.auth.codes.mint("login", "eva").code}`);
  await page.locator("#composer").waitFor();
  gateway.model.replies(says("Tea, Eva."));
  await say(page, "What do I like?");
  await page.getByText("Tea, Eva.").waitFor();
  expect(await page.content()).not.toContain("CANARY");
  const pages = page.locator(".side-nav a[href*='p=']");
  expect(await pages.evaluateAll((all) => all.map((one) => one.getAttribute("href")))).toEqual([
    expect.stringMatching(/p=cron$/),
    expect.stringMatching(/p=memory$/),
  ]);
  expect(await page.locator(".model-chip, .persona-chip").filter({ visible: true }).count()).toBe(0);
  await place.isClean();

  // What somebody sends them an address of is not there.
  await page.goto(`${origin}/s/${owners.body.id}`);
  await until(() => page.getByRole("main").innerText()).not.toBe("");
  expect(await page.content()).not.toContain("CANARY");
});

test.for([
  ["on a computer", {}, ["Save", "Pause", "There is no such page."], []],
  ["on a phone in Chinese", { phone: true, language: "zh-CN" }, ["保存", "暂停", "没有这个页面。"], ["Control+b"]],
] as const)(
  "PE30 a person searches, keeps memory and has jobs on the pages, and finds no page of the owner's, %s",
  async ([, options, [save, pause, noPage], list], t) => {
    const place = await openBrowser(t, {
      ...options,
      outside: true,
      config: { people: { eva: { name: "Eva" }, bob: { name: "Bob" } } },
    });
    const { page, gateway, origin } = place;
    const { cron, agent } = { cron: gateway.app.schedule.cron, agent: gateway.app.agent };
    const to = { channel: "web", chat: "elsewhere" };
    for (const by of [undefined, "bob"])
      await cron?.add({ message: "CANARY-JOB", every_seconds: 3600, to, ...(by !== undefined && { by }) });
    const memories = ["workspace", "home/spaces/p-bob"].map((folder) => join(gateway.home, "..", folder, "memory"));
    for (const folder of memories) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "MEMORY.md"), "- CANARY-MEMORY boat\n");
    }
    await page.goto(`${origin}/#login=${gateway.gateway.auth.codes.mint("login", "eva").code}`);
    await page.locator("#composer").waitFor();
    gateway.model.replies(says("The boat is blue."));
    await say(page, "Which colour is the boat?");
    await page.getByText("The boat is blue.").waitFor();
    await agent.idle();

    await page.goto(`${origin}/?p=memory/MEMORY.md`);
    await page.locator(".panel textarea").first().fill("- The boat is EVA-BLUE.\n");
    await page.getByRole("button", { name: save, exact: true }).click();
    const file = join(gateway.home, "spaces", "p-eva", "memory", "MEMORY.md");
    await until(() => Promise.resolve(readFileSync(file, { encoding: "utf8", flag: "a+" }))).toContain("EVA-BLUE");
    await place.isClean();
    await page.goto(`${origin}/?p=memory`);
    const files = page.locator(".panel .p-card .p-title");
    await until(() => files.allInnerTexts()).toEqual(["MEMORY.md", "HISTORY.md", "USER.md"]);
    await page.getByRole("tab").nth(1).click();
    await page.locator(".panel input").first().fill("boat");
    await page.locator(".panel .p-card").getByText("EVA-BLUE").first().waitFor();
    expect(await page.content()).not.toContain("CANARY");

    await page.goto(`${origin}/?p=cron/new`);
    await page.locator(".panel textarea").fill("Look at the boat");
    await page.locator(".panel select").nth(1).selectOption({ index: 1 });
    await place.isClean();
    await page.getByRole("button", { name: save, exact: true }).click();
    const card = page.locator("[data-job]");
    await card.getByText("Look at the boat").waitFor();
    expect(await card.count()).toBe(1);
    await card.getByRole("button", { name: pause }).click();
    await until(async () => (await cron?.list())?.map(({ by, enabled }) => [by, enabled])).toEqual([
      [undefined, true],
      ["bob", true],
      ["eva", false],
    ]);
    await card.locator("button.icon").last().click();
    await until(async () => (await cron?.list())?.length).toBe(2);
    expect(await page.content()).not.toContain("CANARY");

    await page.goto(`${origin}/?p=settings`);
    await page.locator(".panel").getByText(noPage).first().waitFor();
    await page.goto(origin);
    await page.locator("#composer").waitFor();
    for (const key of list) await page.keyboard.press(key);
    await page.locator("#list-search").fill("blue");
    await page.locator("a.hit").getByText("The boat is blue.").waitFor();
    expect(await page.content()).not.toContain("CANARY");
    await place.isClean();
  },
);

test("PE29a whom a proxy vouches for is on the pages without a login of margay's own", async (t) => {
  const users = [{ value: "eva@example.org", person: "eva" }];
  const place = await openBrowser(t, {
    outside: true,
    config: {
      people: { eva: { name: "Eva" } },
      gateway: { proxyAuth: { peers: ["127.0.0.1/32"], header: "Remote-User", users } },
    },
  });
  const { page, gateway, origin, context } = place;
  await context.setExtraHTTPHeaders({ "remote-user": "eva@example.org" });
  await page.goto(origin);
  await page.locator("#composer").waitFor();
  gateway.model.replies(says("Tea, Eva."));
  await say(page, "What do I like?");
  await page.getByText("Tea, Eva.").waitFor();
  await place.isClean();
});
