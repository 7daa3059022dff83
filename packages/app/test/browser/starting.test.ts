// A page that is opened while the gateway still reads its journals.
import { expect, test } from "vitest";
import { announce } from "../../src/host/live/announce.ts";
import { writeSession } from "../gateway/journals.ts";
import { openBrowser } from "./support.ts";

const EARLY = {
  type: "urn:margay:error:state.starting",
  title: "The gateway is starting",
  status: 503,
  code: "state.starting",
  detail: "margay has just started and is still reading its conversations.",
  retryAfterMs: 20,
};

test("SO3 a page that came too early says so, asks again by itself, and says it no more when all is read", async (t) => {
  const place = await openBrowser(t, {
    prepare: ({ home }) => void writeSession(home, { key: "web:before", turns: 1, question: () => "What was before?" }),
    expected: ["503"],
  });
  const { page, gateway } = place;
  await expect.poll(() => gateway.gateway.services.ready()).toBe(true);
  // As such a gateway answers: of how long it takes the tests of the program know more (durability/starting.test.ts).
  let isStarting = true;
  let refused = 0;
  await page.route("**/api/v1/system", async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as object;
    await route.fulfill({ response, json: { ...body, ...(isStarting && { starting: true }) } });
  });
  await page.route("**/api/v1/sessions?*", async (route) => {
    refused += 1;
    if (refused > 4) return route.continue();
    await route.fulfill({ status: 503, contentType: "application/problem+json", json: EARLY });
  });
  await page.reload();
  const line = page.getByText("is still reading its conversations. What you write is kept");
  await line.waitFor();
  await page.getByText("What was before?").first().waitFor();
  expect(refused).toBeGreaterThan(4);
  isStarting = false;
  announce(gateway.gateway.services, "system", "started");
  await line.waitFor({ state: "hidden" });
  await place.isClean();
});
