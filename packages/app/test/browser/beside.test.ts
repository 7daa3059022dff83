import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { answers, openBrowser, say, until } from "./support.ts";

test("row 60: a turn is explained step by step, replays, and shows the exact prompt", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.replies(callsTool("list_dir", { path: "." }), says("Nothing there."));
  await say(page, "look around");
  await until(() => answers(page)).toEqual(["Nothing there."]);
  await page.locator(".item-foot").hover();
  await page.getByRole("button", { name: "Message actions" }).click();
  await page.getByRole("menuitem", { name: "Explain this turn" }).click();
  await page.getByText("Replaying the journal gives exactly these steps").waitFor();
  await page.getByRole("heading", { name: "Ran a tool" }).first().waitFor();
  await page.getByRole("button", { name: "Exact prompt" }).first().click();
  await page.getByRole("dialog").getByText("look around").first().waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await place.isClean();
});

test("row 30: a subagent's conversation opens beside the chat that made it", async (t) => {
  const place = await openBrowser(t);
  const { page, gateway } = place;
  gateway.model.route(
    (request) => JSON.stringify(request).includes("count the beans please"),
    says("There are 12 beans."),
  );
  gateway.model.replies(
    callsTool("spawn", { task: "count the beans please", label: "beans" }),
    says("I sent someone."),
  );
  await say(page, "delegate");
  await page.getByRole("button", { name: "Open its conversation" }).click();
  await page.locator(".transcript").getByText("count the beans please").first().waitFor();
  await until(() => page.locator("main .item.user").count()).toBeGreaterThan(0);
  expect(new URL(page.url()).search).toMatch(/^\?p=session\//);
  await place.isClean();
});
