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
  const { output } = await runIn(
    place.sandbox(),
    place.request("ls memory | wc -l; cat memory/own", { labelled: { paths: labelled, traced: true } }),
  );
  expect(output).toMatch(/^0\n.*No such file/);
});

test("SC7 where no read leaves a trace a stranger's file or tree is not shown but to a program that names it", async () => {
  using place = createPlace();
  const at = (name: string): string => join(place.workspace, name);
  for (const folder of ["clone", "pages"]) fs.mkdirSync(at(folder));
  const pages = Array.from({ length: 201 }, (_, page) => at(`pages/${page}.md`));
  for (const path of [at("p.md"), at("own"), at("clone/README"), ...pages]) fs.writeFileSync(path, "text\n");
  fs.linkSync(at("p.md"), at("other"));
  const labelled = { paths: [at("other"), at("clone"), ...pages], traced: false };
  const run = async (command: string): Promise<string> => {
    const { output } = await runIn(place.sandbox(), place.request(command, { labelled }));
    return output;
  };
  expect(await run("cat pag*/* clo*/* 2> /dev/null; cat own")).toBe("text\n");
  expect(await run("cat clone/*; ls pag* | wc -l")).toBe("text\n0\n");
  const wrapped = await place.sandbox().wrap(place.request("cat 17.md", { labelled }));
  if (typeof wrapped === "string") throw new Error(wrapped);
  // One of the folder is named: it can't be hidden as a whole, and they are too many for a mount each.
  expect(wrapped).toMatchObject({ untraced: [at("pages/17.md")], hidden: [] });
});

test("SC7 a workspace of nothing but strangers' files stays a workspace: they are too many, and are shown", async () => {
  using place = createPlace();
  const pages = Array.from({ length: 201 }, (_, page) => join(place.workspace, `${page}.md`));
  for (const path of pages) fs.writeFileSync(path, "text\n");
  const request = place.request("ls | wc -l; echo mine > own; cat own", { labelled: { paths: pages, traced: false } });
  expect(await place.sandbox().wrap(request)).toMatchObject({ untraced: [], hidden: [] });
  expect((await runIn(place.sandbox(), request)).output).toBe("201\nmine\n");
});
