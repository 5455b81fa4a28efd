"""Context for the model beside the messages: instruction files, environment, and the sizes of its parts."""
