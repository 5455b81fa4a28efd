"""What every face says, pure: reducers, wording, trail. No I/O, no clock."""
