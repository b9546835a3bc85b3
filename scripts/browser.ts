// Launches Chromium: the one from npm on Linux x64, otherwise the installed Chrome. `CHROMIUM_PATH` overrides both.
import chromium from '@sparticuz/chromium';
import { type Browser, type LaunchOptions, chromium as playwright } from 'playwright-core';

async function howToLaunch(): Promise<LaunchOptions> {
  const { CHROMIUM_PATH: executablePath } = process.env;
  if (executablePath) return { executablePath };
  if (process.platform !== 'linux' || process.arch !== 'x64') return { channel: 'chrome' };
  return {
    executablePath: await chromium.executablePath(),
    // With --single-process the browser exits with its first context.
    args: chromium.args.filter((flag) => flag !== '--single-process'),
  };
}

export const launchBrowser = async (): Promise<Browser> => playwright.launch(await howToLaunch());
