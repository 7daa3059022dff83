/**
 * Answers to one question need not come in the order in which it was asked.
 * @returns To call when it is asked. What that returns says whether the answer is shown: not after that of a later asking.
 */
export function newest(): () => () => boolean {
  let asked = 0;
  let shown = 0;
  return () => {
    const mine = (asked += 1);
    return () => {
      if (mine < shown) return false;
      shown = mine;
      return true;
    };
  };
}
