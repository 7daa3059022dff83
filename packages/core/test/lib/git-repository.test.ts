import { expect, test } from "vitest";
import { isListedRepository, isRepositoryEntry, repositoryName } from "../../src/lib/git-repository.ts";

test("SC29 a list names repositories, or all below a name, and never a host or everything", () => {
  const good = [
    "github.com/me/*",
    "github.com/me/proj",
    "GitHub.com/Me/x.y",
    "git.sr.ht/~me/*",
    "git.my.org:8443/team/sub/*",
  ];
  const bad = [
    "*",
    "github.com",
    "github.com/",
    "github.com/*",
    "*.com/me/*",
    "github.com/me/*/x",
    "github.com/me/../you",
  ];
  const worse = [
    "https://github.com/me/x",
    "github.com//x",
    "/me/x",
    "github.com/me/x.git",
    "git hub.com/me/*",
    "a/b%2fc",
    "",
  ];
  expect(good.filter((entry) => !isRepositoryEntry(entry))).toEqual([]);
  expect([...bad, ...worse].filter(isRepositoryEntry)).toEqual([]);
});

test("SC29 what is listed is meant by its whole name", () => {
  const listed = (name: string, ...entries: readonly string[]): boolean => isListedRepository(name, entries);
  expect(listed("github.com/me/proj", "GitHub.com/me/*")).toBe(true);
  expect(listed("github.com/me/a/b", "github.com/me/*")).toBe(true);
  expect(listed("github.com/me", "github.com/me/*")).toBe(false);
  expect(listed("github.com/mean/proj", "github.com/me/*")).toBe(false);
  expect(listed("github.com/Me/proj", "github.com/me/*")).toBe(false);
  expect(listed("github.com:8443/me/proj", "github.com/me/*")).toBe(false);
  expect(listed("evil.com/github.com/me/proj", "github.com/me/*")).toBe(false);
  expect(listed("github.com/me/proj", "github.com/*", "*")).toBe(false);
  expect(repositoryName("GitHub.com", "me/proj.git")).toBe("github.com/me/proj");
});
