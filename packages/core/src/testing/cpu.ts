/**
 * Processor time of this thread, for limits that hold on a busy machine too: what other programs take is not in it.
 *
 * @returns ms.
 */
export async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
