/** Which commands the platform offers. */
import assert from "node:assert/strict";
import { commandList } from "../../channels/commands/command-list.ts";
import type { CommandInfo } from "../../contract/channel.ts";
import { commandTexts } from "../../control/command-texts.ts";
import type { Case } from "./cases.ts";
import { always, answering, eventually, type House } from "./house.ts";
import { allAnswered } from "./inbound.ts";

export function registeredCommands(test: Case): void {
  test(
    "CH170 CH74 the commands are registered once in both languages, not again after a restart, and again when the list is another one",
    async (house) => {
      house.model.replies(...always(answering));
      const ours = commandList(commandTexts);
      const answered = async (number: number): Promise<void> => {
        const margay = await house.start();
        await eventually("a list is registered", () => told(house).length > 0);
        const { person, chat } = await house.guest();
        // It has gone to the platform and back since it was up.
        await house.write(person, chat, `to ${number}`);
        await allAnswered(house, chat, [number]);
        await margay.agent.idle();
        await margay.end();
      };
      await answered(1);
      assert.deepEqual(told(house), [offered(ours)]);
      await answered(2);
      assert.equal(told(house).length, 1, "the same list again");
      const other = ours.filter(({ name }) => name !== "cron");
      await house.start({ commands: other });
      await eventually("the other list is registered", () => told(house).length > 1);
      assert.deepEqual(told(house), [offered(ours), offered(other)]);
    },
    { needs: ["commands"] },
  );
}

type Told = ReturnType<NonNullable<House["peer"]["commands"]>>;

function told({ peer }: House): Told {
  return peer.commands?.() ?? [];
}

/** As people see it where the words are not too long. */
function offered(list: readonly CommandInfo[]): Told[0] {
  return list.map(({ name, description }) => ({ name, en: description.en, zh: description["zh-CN"] }));
}
