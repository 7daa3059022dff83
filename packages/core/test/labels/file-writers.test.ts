// Whose word a file is that several persons write: by its content, and only by what was said before it was written.
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openFileWriters } from "../../src/labels/file-writers.ts";
import { temporaryFolder } from "../support/folder.ts";

test("PE48 a content is the word of who said so last, its name of everybody who wrote it, also in the next process", async () => {
  await using folder = await temporaryFolder();
  const first = openFileWriters(folder.path);
  first.writing("a/list.md", "h1", "eva");
  first.writing("a/list.md", "h2", "paul");
  first.writing("a/list.md", "h1", undefined); // the same text, by somebody who was talked into it
  for (const writers of [first, openFileWriters(folder.path)]) {
    expect(writers.isBy("a/list.md", "h2", "paul")).toBe(true);
    expect(writers.isBy("a/list.md", "h2", "eva")).toBe(false);
    expect(writers.isBy("a/list.md", "h1", "eva")).toBe(false);
    expect(writers.isBy("other.md", "h2", "paul")).toBe(false);
    for (const name of ["a", "a/list.md"]) expect(writers.isNamedBy(name, "eva")).toBe(true);
    expect(writers.isNamedBy("a/list.md", "ada")).toBe(false);
  }
});

test("PE48 a line that a crash cut is no line, and what comes after it is one", async () => {
  await using folder = await temporaryFolder();
  openFileWriters(folder.path).writing("a", "h1", "eva");
  appendFileSync(folder.at("writers.jsonl"), '{"path":"a","sha256":"h2","by":"pa');
  const next = openFileWriters(folder.path);
  expect(next.isBy("a", "h2", "pa")).toBe(false);
  next.writing("a", "h3", "paul");
  const again = openFileWriters(folder.path);
  expect(again.isBy("a", "h1", "eva")).toBe(true);
  expect(again.isBy("a", "h3", "paul")).toBe(true);
});

test("PE48 where the line cannot be written nothing is known of the content, and the write is told", async () => {
  await using folder = await temporaryFolder();
  mkdirSync(folder.at("writers.jsonl"), { recursive: true });
  const writers = openFileWriters(folder.at("elsewhere"));
  writeFileSync(folder.at("elsewhere"), "a file where the folder would be");
  expect(() => writers.writing("a", "h1", "eva")).toThrow(/EEXIST|ENOTDIR/);
  expect(() => openFileWriters(folder.path).writing("a", "h1", "eva")).toThrow("EISDIR");
});

test("file-writers/MAX_CONTENTS: eight contents of a path are remembered, of one before them nothing is", async () => {
  await using folder = await temporaryFolder();
  const writers = openFileWriters(folder.path);
  for (let number = 1; number <= 9; number += 1) writers.writing("a", `h${number}`, "eva");
  for (const known of [writers, openFileWriters(folder.path)]) {
    expect(known.isBy("a", "h2", "eva")).toBe(true);
    expect(known.isBy("a", "h1", "eva")).toBe(false);
  }
});

test("PE48 written anew the file says the same in fewer lines", async () => {
  await using folder = await temporaryFolder();
  const writers = openFileWriters(folder.path);
  writers.writing("old/name.md", "h", "ada");
  for (let number = 1; number <= 1500; number += 1)
    writers.writing("a", `h${number}`, number % 2 === 0 ? "eva" : undefined);
  expect(readFileSync(folder.at("writers.jsonl"), "utf8").split("\n").length).toBeLessThan(1200);
  const next = openFileWriters(folder.path);
  expect(next.isBy("a", "h1500", "eva")).toBe(true);
  expect(next.isBy("a", "h1499", "eva")).toBe(false);
  expect(next.isBy("old/name.md", "h", "ada")).toBe(true);
  expect(next.isNamedBy("old", "ada")).toBe(true);
});
