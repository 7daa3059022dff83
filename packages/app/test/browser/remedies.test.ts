// W§13.8: the ways out of an error that need more than one provider, a variable, or a long chat.
import { fails, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { answers, openBrowser, say, until } from "./support.ts";

test("W§13.8 a key of the environment is not replaced here: the field says where it is changed", async (t) => {
  const place = await openBrowser(t, {
    env: { MOCK_KEY: "planted-variable-key" },
    config: (url) => ({
      providers: { mock: { api: "openai-chat", baseUrl: `${url}/v1`, apiKey: "${env:MOCK_KEY}" } },
    }),
  });
  const { page, gateway } = place;
  gateway.model.replies(fails(401));
  await say(page, "hello");
  const card = page.locator(".remedy");
  await card.getByRole("button", { name: "Set a new key" }).click();
  await page.keyboard.type("a-new-key-0123456789");
  await page.keyboard.press("Enter");
  await card.getByText("This key comes from the variable MOCK_KEY: change it where margay is started.").waitFor();
  expect(await page.content()).not.toContain("planted-variable-key");
  await place.isClean();
});

test("W§13.8 when the budget is used up a model that costs nothing goes on", async (t) => {
  const place = await openBrowser(t, {
    expected: ["412"],
    config: (url) => ({
      budgets: [{ scope: "day", usd: 0.000_001 }],
      models: {
        "mock/mock-model": { price: { input: 10, output: 10 } },
        "mock/gratis": { price: { input: 0, output: 0 } },
      },
      providers: { mock: { api: "openai-chat", baseUrl: `${url}/v1`, apiKey: "mock-key-0123456789" } },
    }),
  });
  const { page, gateway } = place;
  gateway.model.replies(says("the first"));
  await say(page, "hello");
  await until(() => answers(page)).toEqual(["the first"]);
  await say(page, "and more");
  gateway.model.replies(says("for nothing"));
  await page.locator(".remedy").getByRole("button", { name: "Go on with gratis, free" }).click();
  await until(() => answers(page)).toEqual(["the first", "for nothing"]);
  expect(gateway.model.requests.at(-1)?.body["model"]).toBe("gratis");
  await place.isClean();
});

test("W§13.8 a chat that no longer fits is summarized where it is said, and goes on", async (t) => {
  const place = await openBrowser(t, { expected: ["412"] });
  const { page, gateway } = place;
  for (const n of ["one", "two", "three"]) {
    gateway.model.replies(says(`answer ${n}. ${"It is long. ".repeat(50)}`));
    await say(page, `question ${n}`);
    await until(async () => (await answers(page)).at(-1)?.startsWith(`answer ${n}`)).toBe(true);
    await gateway.app.agent.idle();
  }
  let fits = false;
  gateway.model.route(
    (request) => {
      const text = JSON.stringify(request);
      return !fits && text.includes("does it fit") && !text.includes("You condense");
    },
    ...Array.from({ length: 20 }, () =>
      fails(400, { error: { message: "too long", code: "context_length_exceeded" } }),
    ),
  );
  await say(page, "does it fit");
  const card = page.locator(".remedy");
  await card.getByText("The chat is longer than the model can read.").waitFor();
  await place.isClean();
  fits = true;
  gateway.model.route(
    (request) => JSON.stringify(request).includes("You condense"),
    says("They asked three questions."),
  );
  gateway.model.replies(says("now it fits"));
  await card.getByRole("button", { name: "Summarize and go on" }).click();
  await until(async () => (await answers(page)).at(-1)).toBe("now it fits");
  await place.isClean();
});
