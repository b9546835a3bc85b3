import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { logFile } from '../../local/log-file.ts';

test.runIf(existsSync('/dev/full'))(
  'reports a full disk once, keeps running, and writes lines again afterwards',
  () => {
    const dir = mkdtempSync(join(tmpdir(), 'placar-log-'));
    const path = join(dir, 'functions.log');
    const told: string[] = [];
    const write = logFile(path, (line) => told.push(line));
    symlinkSync('/dev/full', path);
    write('one');
    write('two');
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('ENOSPC');
    unlinkSync(path);
    write('three');
    expect(readFileSync(path, 'utf8')).toBe('three\n');
    expect(told).toHaveLength(2);
    rmSync(dir, { recursive: true });
  },
);
