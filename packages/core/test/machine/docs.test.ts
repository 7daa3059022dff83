import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";

import type { Docs } from "../../src/contract/store.ts";
import { changeDoc } from "../../src/lib/async/change-doc.ts";
import { openFileDocs } from "../../src/machine/files/file-docs.ts";
import { docsConformance } from "../../src/testing/docs-conformance.ts";
import { docTable, memoryDocs } from "../../src/testing/memory-docs.ts";
import { temporaryFolder } from "../support/folder.ts";

docsConformance(
  (name, run) => test(`file ${name}`, run),
  async () => {
    const folder = await temporaryFolder();
    return {
      open: () => openFileDocs(folder.at("home")),
      [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
    };
  },
);

docsConformance(
  (name, run) => test(`memory ${name}`, run),
  () => {
    const table = docTable();
    return Promise.resolve({ open: () => memoryDocs(table) });
  },
);

test("SO18 two processes make 200 changes each of one document, and none is lost", async () => {
  await using folder = await temporaryFolder();
  const program = new URL("docs-writer.ts", import.meta.url).pathname;
  const ends = ["a", "b"].map(async (who) => {
    const child = spawn(process.execPath, ["--conditions=margay-source", program, folder.path, who, "200"], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    return once(child, "exit");
  });
  expect(await Promise.all(ends)).toEqual([
    [0, null],
    [0, null],
  ]);
  const names = JSON.parse(readFileSync(folder.at("list.json"), "utf8")) as readonly string[];
  const all = ["a", "b"].flatMap((who) => Array.from({ length: 200 }, (_, n) => `${who}${n}`));
  expect(names.toSorted()).toEqual(all.toSorted());
}, 120_000);

test("SO18 a document is a file of the home for its owner alone, also in a new folder", async () => {
  await using folder = await temporaryFolder();
  const docs = openFileDocs(folder.at("home"));
  await docs.write("channels/pairing.json", "{}\n", 0);
  expect(readFileSync(folder.at("home", "channels", "pairing.json"), "utf8")).toBe("{}\n");
  expect(statSync(folder.at("home", "channels", "pairing.json")).mode & 0o777).toBe(0o600);
  expect(statSync(folder.at("home", "channels")).mode & 0o777).toBe(0o700);
});

test("SO18 what an editor wrote is not written over by who had read what was there before", async () => {
  await using folder = await temporaryFolder();
  const docs = openFileDocs(folder.path);
  const rev = await docs.write("people.json", "one", 0);
  writeFileSync(folder.at("people.json"), "by hand");
  await expect(docs.write("people.json", "two", rev)).rejects.toMatchObject({ code: "doc.conflict" });
  expect(docs.peek("people.json")?.body).toBe("by hand");
  await docs.write("people.json", "two", docs.peek("people.json")?.rev ?? 0);
  expect(readFileSync(folder.at("people.json"), "utf8")).toBe("two");
});

test("a name leads nowhere but below the directory, and to nothing hidden", async () => {
  await using folder = await temporaryFolder();
  const docs = openFileDocs(folder.at("home"));
  mkdirSync(folder.at("home"));
  writeFileSync(folder.at("secret"), "outside");
  for (const name of ["../secret", "/etc/passwd", "a/../../secret", "a//b", "", ".hidden", "a/.tmp", "a\\b", "a/"]) {
    expect(() => docs.peek(name), name).toThrow(TypeError);
    await expect(docs.write(name, "x", 0), name).rejects.toThrow(TypeError);
  }
  expect(() => docs.watch("../", () => {})).toThrow(TypeError);
});

test("what is looked at again and again is what stands there, also when another process writes at once and in equal sizes", async () => {
  await using folder = await temporaryFolder();
  const docs = openFileDocs(folder.path);
  for (let n = 100; n < 400; n++) {
    writeFileSync(folder.at("n.json"), `${n}`);
    expect(docs.peek("n.json")?.body).toBe(`${n}`);
  }
  const long = new Date(Date.now() - 60_000);
  utimesSync(folder.at("n.json"), long, long);
  const settled = docs.peek("n.json");
  expect(docs.peek("n.json")?.body).toBe("399");
  expect(settled?.at).toBe(Math.floor(long.getTime()));
});

test("SO18 a change whose writing failed is told, and not made a second time: it may be there", async () => {
  const docs = memoryDocs();
  const failing: Docs = {
    ...docs,
    write: async (...given) => {
      await docs.write(...given);
      throw new Error("EIO");
    },
  };
  await expect(changeDoc(failing, "n.json", (body = "") => [`${body}+`, undefined])).rejects.toThrow("EIO");
  expect(docs.peek("n.json")?.body).toBe("+");
});

test("SO18 what a change found wrong with something older than what is there is looked at again", async () => {
  const docs = memoryDocs();
  const first = await docs.write("n.json", "old", 0);
  let looks = 0;
  const found = await changeDoc(docs, "n.json", (body) => {
    looks += 1;
    if (body === "old") {
      void docs.write("n.json", "new", first); // somebody else, at this moment
      throw new Error("old");
    }
    return [body, body];
  });
  expect([found, looks]).toEqual(["new", 2]);
});
