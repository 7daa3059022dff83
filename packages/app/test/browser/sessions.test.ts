import { readFileSync } from "node:fs";
import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { answers, holdEvents, openBrowser, say, until } from "./support.ts";

test("row 39: renaming, pinning, archiving and deleting with Undo; list and reload agree", async (t) => {
  // Its title is made while it is renamed; a read may be on its way when it is deleted.
  const place = await openBrowser(t, { expected: ["412", "410"] });
  const { page } = place;
  await say(page, "first chat");
  await until(() => answers(page)).toEqual(["ok"]);
  const titles = (): Promise<string[]> => page.locator(".session .title").allInnerTexts();
  await until(titles).toEqual(["first chat"]);
  const row = page.locator(".session").first();
  const choose = async (name: string): Promise<void> => {
    await row.hover();
    await row.getByRole("button").click();
    await page.getByRole("menuitem", { name, exact: true }).click();
  };
  await row.locator("a").focus();
  await page.keyboard.press("F2");
  await page.locator("input.rename").fill("Plans");
  await page.keyboard.press("Enter");
  await until(titles).toEqual(["Plans"]);
  await choose("Pin");
  await page.locator(".side-group").getByText("Pinned").waitFor();
  await choose("Delete");
  await page.getByText("“Plans” was deleted").waitFor();
  await until(titles).toEqual([]);
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await until(titles).toEqual(["Plans"]);
  const archived = page.waitForResponse((response) => response.request().method() === "PATCH");
  await choose("Archive");
  await until(titles).toEqual([]);
  await archived; // shown before; a reload takes back what the gateway has not heard of
  await page.reload();
  await page.getByText("No conversations yet").waitFor();
  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByRole("menuitemradio", { name: "Archived" }).click();
  await until(titles).toEqual(["Plans"]);
  await place.isClean();
});

test("row 39: a new title stays while it is saved, whatever else is read of the conversation", async (t) => {
  const place = await openBrowser(t, { expected: ["412"] }); // its title is made while it is renamed
  const { page, gateway } = place;
  await say(page, "first chat");
  await until(() => answers(page)).toEqual(["ok"]);
  const shown = page.locator(".session .title");
  await until(() => shown.allInnerTexts()).toEqual(["first chat"]);
  await gateway.app.agent.idle();
  let save: (() => void) | undefined;
  await page.route("**/api/v1/sessions/*", async (route) => {
    if (route.request().method() === "PATCH" && save === undefined)
      await new Promise<void>((resolve) => {
        save = resolve;
      });
    await route.continue();
  });
  await page.locator(".session a").focus();
  await page.keyboard.press("F2");
  await page.locator("input.rename").fill("Plans");
  await page.keyboard.press("Enter");
  await until(() => save).toBeDefined();
  const [{ id }] = (await gateway.api("/sessions")).body.items;
  const { body } = await gateway.api(`/sessions/${id}`);
  const pin = { method: "PATCH", body: { pinned: true }, headers: { "if-match": `"${body.hash}"` } };
  expect((await gateway.api(`/sessions/${id}`, pin)).status).toBe(200); // by somebody else
  await page.locator(".side-group").getByText("Pinned").waitFor();
  expect(await shown.allInnerTexts()).toEqual(["Plans"]);
  const saved = page.waitForResponse((response) => response.request().method() === "PATCH" && response.ok());
  save?.();
  await saved;
  expect((await gateway.api(`/sessions/${id}`)).body).toMatchObject({ title: "Plans", pinned: true });
  expect(await shown.allInnerTexts()).toEqual(["Plans"]);
  await place.isClean();
});

test("row 39: what is in the trash comes back, or is gone for good once its title was typed", async (t) => {
  const place = await openBrowser(t, { expected: ["412", "410", "404"] }); // titles; reads that are on their way
  const { page, gateway } = place;
  const titles = (): Promise<string[]> => page.locator(".session .title").allInnerTexts();
  const choose = async (title: string, name: string): Promise<void> => {
    const row = page.locator(".session").filter({ hasText: title });
    await row.hover();
    await row.getByRole("button").click();
    await page.getByRole("menuitem", { name, exact: true }).click();
  };
  for (const title of ["keep me", "lose me"]) {
    await page.getByRole("button", { name: "New chat" }).first().click();
    await say(page, title);
    await until(() => answers(page)).toEqual(["ok"]);
    await until(titles).toContain(title);
  }
  for (const title of ["keep me", "lose me"]) {
    const deleted = page.waitForResponse((response) => response.request().method() === "DELETE");
    await choose(title, "Delete");
    await until(titles).not.toContain(title);
    await deleted;
  }
  await page.reload();
  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByRole("menuitemradio", { name: "Trash" }).click();
  await until(async () => (await titles()).toSorted()).toEqual(["keep me", "lose me"]);
  await place.isClean();
  await choose("keep me", "Restore");
  await until(titles).toEqual(["lose me"]);
  await choose("lose me", "Delete for good");
  const dialog = page.getByRole("dialog");
  const go = dialog.getByRole("button", { name: "Delete for good" });
  await dialog.getByLabel("Type its title to confirm").fill("lose it");
  expect(await go.isDisabled()).toBe(true);
  await place.isClean();
  await dialog.getByLabel("Type its title to confirm").fill("lose me");
  await go.click();
  await page.getByText("“lose me” is gone").waitFor();
  await page.getByText("Nothing was deleted in the last 30 days").waitFor();
  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByRole("menuitemradio", { name: "All conversations" }).click();
  await until(titles).toEqual(["keep me"]);
  expect((await gateway.app.agent.sessions.list()).length).toBe(1);
  await page.reload();
  await until(titles).toEqual(["keep me"]);
});

test("row 40: two Chinese characters find the messages that hold them, in the right chats", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.replies(says("今天部署到服务器。"));
  await say(page, "计划");
  await until(() => answers(page)).toEqual(["今天部署到服务器。"]);
  await page.getByRole("button", { name: "New chat" }).first().click();
  await say(page, "something else");
  await until(() => answers(page)).toEqual(["ok"]);
  await page.getByLabel("Search conversations").fill("部署");
  await until(() => page.locator(".hit mark").allInnerTexts()).toEqual(["部署"]);
  await page.locator(".hit").click();
  await until(() => answers(page)).toEqual(["今天部署到服务器。"]);
  await place.isClean();
});

test("a search of the conversations offers no line of the memory, and shows a text once when its words overlap", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  await say(page, "a heron, two herons");
  await until(() => answers(page)).toEqual(["ok"]);
  const file = "/memory/files/MEMORY.md";
  const { body } = await gateway.api(file);
  const text = "- likes heron and herons\n";
  await gateway.api(file, { method: "PUT", body: { text }, headers: { "if-match": `"${body.hash}"` } });
  const q = "heron herons";
  await until(async () => (await gateway.api(`/search?q=${encodeURIComponent(q)}`)).body.items.length).toBe(2);
  await page.getByLabel("Search conversations").fill(q);
  await until(() => page.locator(".hit .snippet").allInnerTexts()).toEqual(["a heron, two herons"]);
  await place.isClean();
});

test("row 41: answering a turn again that wrote a file lists what it wrote, and makes a branch", async (t) => {
  const place = await openBrowser(t, { expected: ["409", "412"] });
  const { page, gateway } = place;
  await gateway.configure({
    model: "anthropic/claude-opus-5",
    providers: { anthropic: { baseUrl: gateway.model.url, apiKey: "sk-ant-test-0123456789abcdef" } },
  });
  gateway.model.replies(
    callsTool("write_file", { path: "note.txt", content: "hello" }),
    says("Written."),
    says("Other, and a good deal longer than the one before it. ".repeat(40).trim()),
  );
  await say(page, "write");
  await until(() => answers(page)).toEqual(["Written."]);
  /** What the header says, to the hundredth of a cent. */
  const shows = async (usd: number): Promise<boolean> =>
    Math.abs(Number((await page.locator(".badge.cost").innerText()).replace("$", "")) - usd) < 0.0001;
  const footer = page.locator(".item-foot").last();
  const spent = async (): Promise<number> => {
    const { body } = await gateway.api(`/sessions/${page.url().split("/").at(-1) ?? ""}`);
    return (body as { costUsd: number }).costUsd;
  };
  const [address, before] = [page.url(), await spent()];
  expect(before).toBeGreaterThan(0);
  await until(() => shows(before)).toBe(true);
  await footer.hover();
  await footer.getByRole("button", { name: "Answer again" }).click();
  await page.getByRole("dialog").getByText("write_file").waitFor();
  await place.isClean();
  await page.getByRole("button", { name: "Answer again anyway" }).click();
  await until(async () => (await answers(page)).at(-1)).toMatch(/^Other/);
  await page.locator(".chat-head").getByText("2/2").waitFor();
  expect(page.url()).not.toBe(address);
  // A branch has cost what was asked for in it; what it was copied from is counted there.
  await until(spent).toBeGreaterThan(0);
  const branch = await spent();
  await until(() => shows(branch)).toBe(true);
  const usage = await gateway.api("/usage?group=session");
  const { total } = usage.body as { total: { costUsd: number } };
  expect(total.costUsd).toBeCloseTo(before + branch, 9);
  await page.locator(".chat-head").getByRole("button", { name: "Previous branch" }).click();
  await until(() => answers(page)).toEqual(["Written."]);
  expect([page.url(), await spent()]).toEqual([address, before]);
  await until(() => shows(before)).toBe(true);
  await place.isClean();
});

test("W4 an answer by another model, and an answer as a draft of the memory", async (t) => {
  const place = await openBrowser(t, { expected: ["412"] });
  const { page, gateway } = place;
  gateway.model.replies(says("Otters like **clams**."), says("Clams."));
  await say(page, "what do otters like?");
  await until(() => answers(page)).toEqual(["Otters like clams."]);
  const choose = async (name: string): Promise<void> => {
    await page.locator(".item-foot").hover();
    await page.locator(".item-foot").getByRole("button", { name: "Message actions" }).click();
    await page.getByRole("menuitem", { name }).click();
  };
  await choose("Answer again with another model…");
  const model = page.locator(".picker [role=option]").filter({ hasText: "mock-model" }).first();
  await model.waitFor();
  await place.isClean();
  await model.click();
  await until(() => answers(page)).toEqual(["Clams."]);
  await page.locator(".chat-head").getByText("2/2").waitFor();
  await page.locator(".chat-head").getByRole("button", { name: "Previous branch" }).click();
  await until(() => answers(page)).toEqual(["Otters like clams."]);
  await choose("Save to memory…");
  const editor = page.getByRole("textbox", { name: /MEMORY\.md/ });
  await until(() => editor.inputValue()).toMatch(/^- Otters like \*\*clams\*\*\.\n$/m);
  await page.getByText("Unsaved changes").waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await until(async () => String((await gateway.api("/memory/files/MEMORY.md")).body.text)).toContain(
    "- Otters like **clams**.",
  );
  await place.isClean();
});

test("row 42: a copy from an older answer, its JSONL export, and the import of that show the same messages", async (t) => {
  const place = await openBrowser(t, { expected: ["412", "422"] }); // titles; a file that is no transcript
  const { page, gateway } = place;
  gateway.model.replies(says("one"), says("two"));
  await say(page, "first");
  await until(() => answers(page)).toEqual(["one"]);
  await say(page, "second");
  await until(() => answers(page)).toEqual(["one", "two"]);
  await page.locator(".item-foot").first().hover();
  await page.locator(".item-foot").first().getByRole("button", { name: "Message actions" }).click();
  await page.getByRole("menuitem", { name: "Continue from here in a copy" }).click();
  await until(() => answers(page)).toEqual(["one"]);
  const saved = page.waitForEvent("download");
  await page
    .getByRole("button", { name: /^Actions for/ })
    .last()
    .click();
  await page.getByRole("menuitem", { name: "Export as JSONL" }).click();
  const file = await (await saved).path();
  const [first = ""] = readFileSync(file, "utf8").split("\n");
  expect(JSON.parse(first)).toHaveProperty("created_at");
  await page.getByRole("button", { name: "Import a conversation" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("File").setInputFiles({
    name: "notes.txt",
    mimeType: "text/plain",
    buffer: Buffer.from("no transcript at all\n"),
  });
  await dialog.getByRole("button", { name: "Import", exact: true }).click();
  await dialog.getByText("import.invalid").waitFor();
  await place.isClean();
  await dialog.getByLabel("File").setInputFiles(file);
  await dialog.getByLabel("Title").fill("Brought in");
  await dialog.getByRole("button", { name: "Import", exact: true }).click();
  await until(() => page.locator(".chat-title").innerText()).toContain("Brought in");
  await until(() => answers(page)).toEqual(["one"]);
  expect(await page.locator(".bubble").allInnerTexts()).toEqual([expect.stringContaining("first")]);
  await until(() => page.locator(".session .title").allInnerTexts()).toContain("Brought in");
  await page.reload();
  await until(() => answers(page)).toEqual(["one"]);
  await place.isClean();
});

test("two messages sent at once into a new chat are one conversation", async (t) => {
  const place = await openBrowser(t, { expected: ["412"] }); // its title is made meanwhile
  const { page } = place;
  const line = await holdEvents(page);
  line.hold(); // until both are sent
  await say(page, "first of two");
  await say(page, "second of two");
  await until(() => place.gateway.app.agent.sessions.list().then((all) => all.length)).toBe(1);
  line.release();
  await until(() => page.locator(".session").count()).toBe(1);
  await until(() => page.getByText("second of two").count()).toBeGreaterThan(0);
  await page.reload();
  await page.getByText("second of two").first().waitFor();
  expect(await place.gateway.app.agent.sessions.list()).toHaveLength(1);
});

test("a conversation that cannot be read when it is opened is shown once it can, without a reload", async (t) => {
  const place = await openBrowser(t);
  const { page } = place;
  await say(page, "first chat");
  await until(() => answers(page)).toEqual(["ok"]);
  let refused = 0;
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((data) => {
      const frame = JSON.parse(String(data)) as { id: string; type: string; session?: string };
      if (frame.type !== "subscribe" || frame.session === undefined || refused >= 2) return server.send(data);
      refused += 1;
      const error = { code: "state.disk", title: "Could not be stored", status: 503, detail: "It could not be read." };
      socket.send(JSON.stringify({ type: "error", id: frame.id, error }));
    });
  });
  await page.reload();
  await until(() => answers(page)).toEqual(["ok"]);
  expect(refused).toBe(2);
  await place.isClean();
});
