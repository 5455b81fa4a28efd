"""A store on a server (store.md): opened where one is named, and looked after. Loaded only then."""
