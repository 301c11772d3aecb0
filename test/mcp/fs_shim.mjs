// The conformance package imports globSync of node:fs, which node 20 does not have yet, for a part of it that is not run here:
// node --import ./fs_shim.mjs gives it one.
import { register } from 'node:module';

const fs = 'data:text/javascript,' + encodeURIComponent(`
	export * from 'node:fs';
	export { default } from 'node:fs';
	export const globSync = () => { throw new Error('not needed here'); };`);
register('data:text/javascript,' + encodeURIComponent(`
	export async function resolve(name, context, next) {
		const ours = name === 'fs' && context.parentURL?.includes('/@modelcontextprotocol/conformance/');
		return ours ? { url: ${JSON.stringify(fs)}, shortCircuit: true } : next(name, context);
	}`));
