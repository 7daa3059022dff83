// The owner asks somebody in, on the page.
import { expect, test } from "vitest";
import { openBrowser } from "./support.ts";

test.for([
  ["on a computer", {}, "Invite", "Invitation", "People"],
  ["on a phone in Chinese", { phone: true, language: "zh-CN" }, "邀请", "邀请", "联系人"],
] as const)(
  "PE5 a member is invited from the page, by a code that is shown once, %s",
  async ([, options, verb, name, tab], t) => {
    const place = await openBrowser(t, {
      ...options,
      config: { people: { eva: { name: "Eva" }, bob: { role: "operator" } } },
    });
    const { page, gateway } = place;
    await page.goto(`${gateway.url}/?p=channels`);
    await page.getByRole("tab", { name: tab }).click();
    const card = page.locator("[data-person=eva]");
    await card.getByRole("button", { name: verb, exact: true }).click();
    const code = await card.getByRole("region", { name }).locator(".p-title").innerText();
    expect(code).toMatch(/^[A-HJ-NP-Z2-9]{8}$/);
    expect(await page.locator("[data-person=bob]").getByRole("button", { name: verb, exact: true }).count()).toBe(0);
    const accepted = await gateway.app.agent.bus.accept({
      key: "1",
      origin: { channel: "webhook", chat: "77" },
      from: { id: "77", kind: "person" },
      parts: [{ type: "text", text: code }],
      chat: "private",
    });
    expect(accepted).toMatchObject({ status: "refused", answer: expect.stringContaining("eva") });
    await place.isClean();
  },
);
