// What is shown of strangers' files below a place that is read-only as a whole.
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createPlace, runIn } from "./support.ts";

test("SC6 of more files than are worth a mount each the whole place is empty, and a file of it that is named is not there", async () => {
  using place = createPlace();
  const memory = join(place.workspace, "memory");
  fs.mkdirSync(memory);
  const labelled = Array.from({ length: 201 }, (_, at) => join(memory, `page${at}`));
  for (const path of [...labelled, join(memory, "own")]) fs.writeFileSync(path, "text");
  const { output } = await runIn(place.sandbox(), place.request("ls memory | wc -l; cat memory/own", { labelled }));
  expect(output).toMatch(/^0\n.*No such file/);
});
