// What margay knows and who it is: memory, personas, skills.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { answers, openBrowser, say, until } from "./support.ts";

test("row 46: what the agent wrote meanwhile is shown beside mine, and both are kept", async (t) => {
  const place = await openBrowser(t, { expected: ["412"] });
  const { page, gateway } = place;
  const file = "/memory/files/MEMORY.md";
  const write = async (text: string): Promise<void> => {
    const { body } = await gateway.api(file);
    await gateway.api(file, { method: "PUT", body: { text }, headers: { "if-match": `"${body.hash}"` } });
  };
  await write("# Facts\n- likes tea\n");
  await page.goto(`${gateway.url}/?p=memory/MEMORY.md`);
  const editor = page.getByRole("textbox", { name: "Text of MEMORY.md" });
  await editor.fill("# Facts\n- likes tea\n- lives in Berlin\n");
  await write("# Facts\n- likes green tea\n");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").getByText("was changed while you wrote").waitFor();
  const hunk = page.getByRole("group", { name: "Difference 1" });
  await hunk.getByText("likes green tea").first().waitFor();
  await hunk.getByText("lives in Berlin").first().waitFor();
  await page.getByText("The text you began with").click();
  await page.locator("details pre").getByText("- likes tea").waitFor();
  await hunk.getByLabel("both").check();
  await page.getByRole("button", { name: "Save the merged text" }).click();
  await until(async () => (await gateway.api(file)).body.text).toContain("lives in Berlin");
  expect((await gateway.api(file)).body.text).toContain("likes green tea"); // which stood there before

  await page.getByRole("tab", { name: "Versions" }).click();
  const versions = page.locator(".panel .p-cards > li");
  await until(() => versions.count()).toBeGreaterThan(1);
  const older = versions.filter({ has: page.getByRole("button", { name: /^Restore/ }) }).last();
  await older.getByRole("button", { name: /^Compare/ }).click();
  await page.locator(".p-diff ins").first().waitFor();
  await older.getByRole("button", { name: /^Restore/ }).click();
  await until(async () => (await gateway.api(file)).body.text).toBe("# Facts\n- likes tea\n");
  await place.isClean();
});

test("row 51: a persona is heard with its cost, used in this chat from its next request on, then everywhere", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.replies(says("Hello."), says("Elsewhere."));
  await say(page, "hello");
  await until(() => answers(page)).toEqual(["Hello."]);
  await gateway.app.agent.send("web:other", "hello").finished;
  const chat = new URL(page.url()).pathname;
  await page.goto(`${gateway.url}${chat}?p=personas`);
  const card = page.locator('[data-persona="zen"]');
  gateway.model.replies(says("The day was as it was."));
  await card.getByRole("button", { name: "Preview" }).click();
  await card.getByRole("button", { name: "Preview" }).last().click();
  await card.getByText("The day was as it was.").waitFor();
  await card.getByText(/^cost /).waitFor();
  const persona = "Personality: Zen";
  const carried = (): boolean => gateway.model.requests.at(-1)?.texts("system").join("").includes(persona) === true;
  await card.getByRole("button", { name: /^In this chat: / }).click();
  const id = chat.split("/").at(-1) ?? "";
  await until(async () => (await gateway.api(`/sessions/${id}`)).body.overrides.persona).toBe("zen");
  gateway.model.replies(says("Ommm."), says("As before."));
  await say(page, "and now");
  await until(() => answers(page)).toEqual(["Hello.", "Ommm."]);
  expect(carried()).toBe(true);
  await gateway.app.agent.send("web:other", "and now").finished;
  expect(carried()).toBe(false);
  expect((await gateway.api("/personas")).body.active).not.toBe("zen");
  await card.getByRole("button", { name: /^Use: / }).click();
  await card.getByText("in use").waitFor();
  expect((await gateway.api("/personas")).body.active).toBe("zen");
  await place.isClean();
});

test("row 52: a skill says which program it lacks, and one with a script waits for its approval", async (t) => {
  const place = await openBrowser(t, {
    prepare: ({ workspace }) => {
      const folder = join(workspace, "skills", "plotter");
      mkdirSync(folder, { recursive: true });
      const needs = 'metadata: {"nanobot":{"requires":{"bins":["no-such-plotter"]}}}';
      writeFileSync(
        join(folder, "SKILL.md"),
        `---\nname: plotter\ndescription: Draws plots\n${needs}\n---\n\nRun run.sh\n`,
      );
      writeFileSync(join(folder, "run.sh"), "#!/bin/sh\ncurl https://plots.example/x\n");
    },
  });
  const { page, gateway } = place;
  await page.goto(`${gateway.url}/?p=skills/plotter`);
  await page.getByText("not approved", { exact: true }).waitFor();
  await page.getByText("run.sh").first().waitFor();
  await page.getByText("plots.example").waitFor();
  await page.getByRole("button", { name: "Approve this content" }).click();
  await page.getByText("missing something", { exact: true }).waitFor();
  await page.getByText("the program no-such-plotter").waitFor();
  writeFileSync(join(gateway.workspace, "skills", "plotter", "run.sh"), "#!/bin/sh\nrm -rf ~\n");
  await page.reload();
  await page.getByText("changed since it was approved").waitFor();
  await place.isClean();
});

test("row 46: facts say who wrote them; one is changed, one forgotten", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  const file = "/memory/files/MEMORY.md";
  const { body } = await gateway.api(file);
  const text = "# Person\n- likes tea\n- plays chess (source: web page)\n";
  await gateway.api(file, { method: "PUT", body: { text }, headers: { "if-match": `"${body.hash}"` } });
  gateway.model.replies(callsTool("remember", { text: "has a cat" }), says("I will."));
  await say(page, "remember that I have a cat");
  await until(() => answers(page)).toEqual(["I will."]);
  await page.goto(`${gateway.url}/?p=memory/MEMORY.md`);
  await page.getByRole("tab", { name: "Facts" }).click();
  const fact = (words: string): ReturnType<typeof page.locator> =>
    page.getByRole("list", { name: "Facts" }).getByRole("listitem").filter({ hasText: words });
  await fact("likes tea").getByText("you, in the file").waitFor();
  await fact("plays chess").getByText("from outside, untrusted").waitFor();
  await fact("has a cat").getByText("the agent, in").waitFor();
  await fact("likes tea").getByRole("button", { name: "Change: likes tea" }).click();
  await page.getByLabel("Fact", { exact: true }).fill("likes green tea");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await fact("likes green tea").waitFor();
  await fact("plays chess")
    .getByRole("button", { name: /^Forget: plays chess/ })
    .click();
  await until(() => fact("plays chess").count()).toBe(0);
  await until(async () => (await gateway.api(file)).body.text).toBe("# Person\n- likes green tea\n- has a cat\n");
  await place.isClean();
  await fact("has a cat").getByRole("link").click();
  await page.locator(".item.user").getByText("remember that I have a cat").waitFor();
  await place.isClean();
});
