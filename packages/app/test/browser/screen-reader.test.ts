// What a screen reader is told: names, roles and states on the whole way, and each event once.
import { callsTool, says } from "@margay/core/testing";
import { stalls } from "@margay/core/internal/testing";
import type { CDPSession, Page } from "playwright-core";
import { expect, test } from "vitest";
import { answers, openBrowser, say, until } from "./support.ts";

const ASKS = { config: { tools: { exec: { sandbox: "none" } } } };

test("row 65: an answer, a stop and an approval are said once each, and no token is", async (t) => {
  const place = await openBrowser(t, ASKS);
  const { page, gateway } = place;
  const cdp = await place.context.newCDPSession(page);
  await recordRegions(page);
  expect(await outline(page)).toMatch(/- textbox "Message"/);
  await everythingIsNamed(cdp);

  const tens = "one two three four five six seven eight nine ten. ";
  const gate = stalls({ after: tens, rest: says(tens.repeat(19)) });
  gateway.model.replies(gate);
  await say(page, "hello");
  await until(() => said(page)).toEqual(["Answering"]);
  gate.release();
  await until(() => said(page)).toEqual(["Answering", "Answer finished, 200 words"]);
  const settled = await outline(page);
  for (const line of [
    /- navigation "Conversations"/,
    /- main "Messages"/,
    /- heading "hello" \[level=1\]/,
    /- feed "Messages"/,
    /- article "You"/,
    /- article "Answer"/,
    /- button "Answer again"/,
    /- button "Send" \[disabled\]/,
    /button ".*Context: [\d,]+ of \S+ tokens"/,
  ])
    expect(settled).toMatch(line);
  const places = await page
    .locator(".feed article")
    .evaluateAll((all) => all.map((one) => [one.ariaPosInSet, one.ariaSetSize]));
  expect(places).toEqual([
    ["1", "2"],
    ["2", "2"],
  ]);
  await everythingIsNamed(cdp);

  await forget(page);
  gateway.model.replies(stalls({ after: "So far", rest: says(" never") }));
  await say(page, "go");
  await until(async () => (await answers(page)).at(-1)).toBe("So far");
  expect(await outline(page)).toMatch(/- button "Stop \(Ctrl\+\.\)"/);
  await page.keyboard.press("Control+.");
  await page.getByText("Stopped by you").waitFor();
  await until(() => said(page)).toEqual(["Answering", "The answer was stopped"]);
  expect(await outline(page)).toMatch(/- article "Stopped by you"/);

  await forget(page);
  gateway.model.replies(callsTool("exec", { command: "echo run" }), says("It ran."));
  await say(page, "run");
  await page.locator(".chat .approval").waitFor();
  await until(() => said(page)).toContain("exec waits for your yes in “hello”");
  await until(() => page.title()).toBe("(1) hello – margay");
  const asking = await outline(page);
  expect(asking).toMatch(/- region "May I run this command\?"/);
  expect(asking).toMatch(/- region "The exact call"/);
  expect(asking).toMatch(/- button "Allow once"/);
  expect(asking).toMatch(/- button "[^"]*exec[^"]*waiting for you/);
  await everythingIsNamed(cdp);
  await until(() => page.locator(".approval .primary").isEnabled()).toBe(true);
  await page.keyboard.press("Alt+a");
  await page.keyboard.press("y");
  await until(async () => (await answers(page)).at(-1)).toBe("It ran.");
  await until(() => said(page)).toContain("Answer finished, 2 words");
  const heard = await said(page);
  expect(new Set(heard).size, heard.join(" | ")).toBe(heard.length);
  await until(() => page.title()).toBe("hello – margay");
  expect(await outline(page)).toMatch(/- button "[^"]*exec[^"]*done/);
  await place.isClean();
});

test("row 65: a conflict of memory and the builder of a job tell their names, states and faults", async (t) => {
  const place = await openBrowser(t, { expected: ["412"] });
  const { page, gateway } = place;
  const cdp = await place.context.newCDPSession(page);
  const file = "/memory/files/MEMORY.md";
  const write = async (text: string): Promise<void> => {
    const { body } = await gateway.api(file);
    await gateway.api(file, { method: "PUT", body: { text }, headers: { "if-match": `"${String(body.hash)}"` } });
  };
  await write("# Facts\n- likes tea\n");
  await page.goto(`${gateway.url}/?p=memory/MEMORY.md`);
  await page.getByRole("textbox", { name: "Text of MEMORY.md" }).fill("# Facts\n- likes tea\n- lives in Berlin\n");
  await recordRegions(page);
  await write("# Facts\n- likes green tea\n");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("group", { name: "Difference 1" }).waitFor();
  expect((await said(page)).filter((text) => text.includes("was changed while you wrote"))).toHaveLength(1);
  const merge = await outline(page, ".panel");
  expect(merge).toMatch(/- complementary "Memory"/);
  expect(merge).toMatch(/- group "Difference 1"/);
  expect(merge).toMatch(/- radio "both"/);
  expect(merge).toMatch(/- button "Save the merged text"/);
  await everythingIsNamed(cdp);

  await page.goto(`${gateway.url}/?p=cron/new`);
  await page.getByRole("heading", { name: "New job" }).waitFor();
  await page.locator(".panel fieldset select").first().selectOption("expression");
  await page.locator(".panel input.p-mono").fill("30 8 * * 9");
  const fault = page.locator(".panel [aria-invalid=true]");
  await fault.waitFor();
  const told = await fault.evaluate((field) =>
    (field.getAttribute("aria-describedby") ?? "")
      .split(" ")
      .map((id) => document.getElementById(id)?.textContent ?? "")
      .join(" "),
  );
  expect(told).toMatch(/position|9/);
  const builder = await outline(page, ".panel");
  for (const line of [/- textbox "Name/, /- radio .* \[checked\]/, /- combobox/, /- checkbox .* \[checked\]/])
    expect(builder).toMatch(line);
  await everythingIsNamed(cdp);
  await place.isClean();
});

/** As assistive technology gets it. */
function outline(page: Page, selector = "body"): Promise<string> {
  return page.locator(selector).ariaSnapshot();
}

/** Everything that is put into a live region from now on; what is taken out is not said. */
async function recordRegions(page: Page): Promise<void> {
  await page.evaluate(() => {
    const heard: string[] = [];
    Object.assign(window, { heard });
    const regions = "[aria-live=polite], [aria-live=assertive], [role=status], [role=alert], [role=log]";
    new MutationObserver((changes) => {
      const touched = new Set<Element>();
      for (const { target, addedNodes, type } of changes) {
        const element = target instanceof Element ? target : target.parentElement;
        const around = element?.closest(regions);
        if (around && (type === "characterData" || addedNodes.length > 0)) touched.add(around);
        for (const node of addedNodes)
          if (node instanceof Element)
            for (const one of [node, ...node.querySelectorAll("*")]) if (one.matches(regions)) touched.add(one);
      }
      for (const one of touched) {
        const text = one.textContent.trim();
        if (text !== "" && one.isConnected) heard.push(text);
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
}

function said(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => (window as unknown as { heard: string[] }).heard);
}

function forget(page: Page): Promise<void> {
  return page.evaluate(() => {
    (window as unknown as { heard: string[] }).heard.length = 0;
  });
}

const CONTROLS = new Set(
  "button link textbox searchbox combobox checkbox radio slider switch tab menuitem menuitemradio option article feed dialog region navigation".split(
    " ",
  ),
);

/** Over the whole accessibility tree: whatever can be used or jumped to says what it is. */
async function everythingIsNamed(cdp: CDPSession): Promise<void> {
  const { nodes } = await cdp.send("Accessibility.getFullAXTree");
  const nameless = nodes
    .filter(({ ignored, role }) => !ignored && CONTROLS.has(String(role?.value)))
    .filter(({ name }) => String(name?.value ?? "").trim() === "")
    .map(({ role, nodeId }) => `${String(role?.value)} ${nodeId}`);
  expect(nodes.length).toBeGreaterThan(20);
  expect(nameless).toEqual([]);
}
