// A conversation that was deleted and begun again under its key is another one: nothing of the first stands for it.
import { callsTool, says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig } from "./harness.ts";

test("R93 deleted and begun again: the same calls run again, and a job that is asked for is there", async () => {
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const place = margay();
  place.configure({
    ...modelConfig(model.url),
    policy: {
      rules: [
        { tool: "exec", action: "allow" },
        { tool: "cron", action: "allow" },
      ],
    },
  });
  const live = async (word: string): Promise<readonly unknown[]> => {
    model.replies(
      callsTool("exec", { command: `echo ${word} | tee -a words.txt` }),
      callsTool("cron", { action: "add", message: `say ${word}`, every_seconds: 3600 }),
      says("Done."),
    );
    expect(await place.run(["agent", "-m", `do ${word}`])).toMatchObject({ code: 0 });
    return model.requests.at(-1)?.body["messages"] as readonly unknown[];
  };
  expect(JSON.stringify(await live("one"))).toContain("Exit code: 0");
  const jobs = async (): Promise<readonly { id: string; message: string }[]> =>
    (await place.run(["cron", "list", "--json"])).lines[0] as never;
  expect(await jobs()).toMatchObject([{ message: "say one" }]);
  expect(await place.run(["sessions", "delete", "cli:direct", "--yes"])).toMatchObject({ code: 0 });
  // The first job has the id of its call: the second must not be taken for it.
  expect(JSON.stringify(await live("two"))).toContain("Exit code: 0");
  expect((await jobs()).map(({ message }) => message).toSorted()).toEqual(["say one", "say two"]);
});
