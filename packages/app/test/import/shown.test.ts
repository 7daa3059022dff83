import { expect, test } from "vitest";
import { shown } from "../../src/features/import-home/shown.ts";
import { emptySource } from "../../src/features/import-home/source.ts";

test("a file is named as it stands below the source, also when its name begins with dots", () => {
  const found = emptySource("nanobot", "/old/home");
  expect(shown(found, "/old/home/workspace/a.md")).toBe("workspace/a.md");
  expect(shown(found, "/old/home/..notes.md")).toBe("..notes.md");
  expect(shown(found, "/old/elsewhere/a.md")).toBe("/old/elsewhere/a.md");
  expect(shown(found, "/old/home")).toBe("/old/home");
});
