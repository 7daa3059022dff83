// The pages as somebody beside the owner: their own conversations, and nothing that would be refused.
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
    expected: ["status of 403"],
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
  expect(await page.locator(".nav-row .nav-item[href]").filter({ visible: true }).count()).toBe(0);
  expect(await page.locator(".model-chip, .persona-chip").filter({ visible: true }).count()).toBe(0);
  await place.isClean();

  // What somebody sends them an address of is not there.
  await page.goto(`${origin}/s/${owners.body.id}`);
  await until(() => page.getByRole("main").innerText()).not.toBe("");
  expect(await page.content()).not.toContain("CANARY");
});

test("PE29a whom a proxy vouches for is on the pages without a login of margay's own", async (t) => {
  const users = [{ value: "eva@example.org", person: "eva" }];
  const place = await openBrowser(t, {
    outside: true,
    expected: ["status of 403"],
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
